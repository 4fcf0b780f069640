# SPDX-License-Identifier: MIT
# What the scripts of this folder share: one-line errors, the CUDA toolkit, a Python with our modules, parallelism.
# shellcheck shell=bash

# Each script sets script=scripts/<name> before it sources this file.
die() {
  echo "${script:?}: $*" >&2
  exit 1
}

note() { echo "${script:?}: $*"; }

# Prints the path of nvcc, or nothing: on PATH, or where NVIDIA's packages put it without telling PATH.
find_nvcc() {
  command -v nvcc && return
  if [[ -x /usr/local/cuda/bin/nvcc ]]; then echo /usr/local/cuda/bin/nvcc; fi
}

# CMake looks for nvcc on PATH.
put_nvcc_on_path() {
  local nvcc
  nvcc=$(find_nvcc)
  if [[ -n $nvcc ]]; then PATH=$PATH:${nvcc%/*}; fi
}

# Prints the first Python that imports all we need: the user's own, or the system's, which scripts/setup provides for.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import jinja2, matplotlib, pandas, rich' 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
  die "no python3 imports jinja2, matplotlib, pandas and rich: run scripts/setup"
}

# Prints the memory that may be used, in KiB: what is available, or less where a control group, the process's own or one
# above it, is given less.
usable_memory_kib() {
  local key value rest kib=0 controllers path base limit
  while read -r key value rest; do
    if [[ $key == MemAvailable: ]]; then kib=$value; fi
  done </proc/meminfo
  while IFS=: read -r rest controllers path; do
    case ,$controllers, in
      ,,) base=/sys/fs/cgroup limit=memory.max ;;
      *,memory,*) base=/sys/fs/cgroup/memory limit=memory.limit_in_bytes ;;
      *) continue ;;
    esac
    while true; do
      value=$(cat "$base$path/$limit" 2>/dev/null || echo max)
      if [[ $value =~ ^[0-9]+$ ]] && ((value / 1024 < kib)); then kib=$((value / 1024)); fi
      if [[ -z ${path%/} ]]; then break; fi
      path=${path%/*}
    done
  done </proc/self/cgroup
  echo "$kib"
}

# Prints how many compile jobs to run: one a core, as far as memory goes at 1.5 GiB each.
compile_jobs() {
  local jobs by_memory
  jobs=$(nproc)
  by_memory=$(($(usable_memory_kib) / (1536 * 1024)))
  if ((by_memory < jobs)); then jobs=$by_memory; fi
  echo $((jobs > 1 ? jobs : 1))
}
