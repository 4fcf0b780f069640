# SPDX-License-Identifier: MIT
# Shared by the scripts in this folder: one-line errors, the CUDA toolkit, a Python with the needed modules, build jobs.
# shellcheck shell=bash

# Each script sets script=scripts/<name> before it sources this file.
die() {
  echo "${script:?}: $*" >&2
  exit 1
}

note() { echo "${script:?}: $*"; }

# Prints the path of nvcc: on PATH, or where NVIDIA's packages install it without adding it to PATH.
# Prints nothing if it is missing.
find_nvcc() {
  command -v nvcc && return
  if [[ -x /usr/local/cuda/bin/nvcc ]]; then echo /usr/local/cuda/bin/nvcc; fi
}

# CMake searches PATH for nvcc.
put_nvcc_on_path() {
  local nvcc
  nvcc=$(find_nvcc)
  if [[ -n $nvcc ]]; then PATH=$PATH:${nvcc%/*}; fi
}

# Prints the first Python that imports all needed modules: the user's own, or the system's, which scripts/setup equips.
find_python() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -c 'import jinja2, jsonschema, markdown, matplotlib' 2>/dev/null; then
      command -v "$python"
      return
    fi
  done
  die "no python3 imports jinja2, jsonschema, markdown and matplotlib: run scripts/setup"
}

# Prints the usable memory in KiB: the available memory, or less if the process's control
# group or one above it limits it.
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

# Prints the number of compile jobs: one per core, limited by memory at 1.5 GiB per job.
compile_jobs() {
  local jobs by_memory
  jobs=$(nproc)
  by_memory=$(($(usable_memory_kib) / (1536 * 1024)))
  if ((by_memory < jobs)); then jobs=$by_memory; fi
  echo $((jobs > 1 ? jobs : 1))
}

# Uses ccache if it is installed, so that builds in other folders share its results.
use_compiler_cache() {
  if ! command -v ccache >/dev/null; then return; fi
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
  export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
}
