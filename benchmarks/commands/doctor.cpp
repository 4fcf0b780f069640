// SPDX-License-Identifier: MIT
// Implements `reprise doctor`.
#include "benchmarks/commands/doctor.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/count/callgrind.hpp"
#include "benchmarks/harness/count/client_requests.hpp"
#include "benchmarks/harness/count/processor_counters.hpp"
#include "benchmarks/harness/device_sensors.hpp"
#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/registry.hpp"
#include "solvers/common/ranks/communicator.hpp"

namespace reprise::benchmarks {
namespace {

const char* cure(backend kind) {
  switch (kind) {
    case backend::cuda:
      return "CUDA toolkit 12 or later to build; NVIDIA's driver and a GPU to run";
    case backend::opencl:
      return "apt install opencl-headers ocl-icd-opencl-dev pocl-opencl-icd, or the vendor's driver";
    case backend::opengl:
      return "apt install libepoxy-dev libegl-dev libegl1 libgl1-mesa-dri, or the vendor's driver";
    case backend::cpu:
    case backend::emulated:
      break;
  }
  return "";
}

bool has_built(backend kind) {
  return std::ranges::any_of(manifest(),
                             [&](const manifest_entry& e) { return e.needs == kind && e.not_built.empty(); });
}

// Older code than the device's own is slower, and lacks what only newer architectures can do.
void print_code(const device& d, std::ostream& out) {
  if (const device_code code = code_of(d); !code.remark.empty())
    out << fmt::format("  warning   {} {}\n", d.id, code.remark);
}

void print_backend(backend kind, std::ostream& out) {
  const discovery& found = devices_of(kind);
  std::string lost;
  std::string reason = found.reason;
  int count = 0;
  for (const manifest_entry& entry : manifest())
    if (entry.needs == kind) {
      ++count;
      if (!has_built(kind)) reason = entry.not_built;
    }
  for (const device& d : found.devices) {
    out << fmt::format("  {:<10}{}\n", d.id, d.name);
    out << fmt::format(
        "  {:<10}{}; {:.0f} GiB{}{}\n", "", d.driver, static_cast<double>(d.memory_bytes) / (1 << 30),
        d.cache_bytes > 0 ? fmt::format(", {:.0f} MiB cache", static_cast<double>(d.cache_bytes) / (1 << 20))
                          : "",
        d.fp64 ? "" : ", no double precision");
    try {
      harness::sensors_of(d)->energy_joules();
      out << fmt::format("  {:<10}its energy can be measured\n", "");
    } catch (const unavailable& missing) {
      out << fmt::format("  {:<10}its energy cannot be measured: {}\n", "", missing.what());
    }
    print_code(d, out);
  }
  if (found.devices.empty()) {
    out << fmt::format("  missing   {}\n", reason);
    out << fmt::format("  excludes  {} variants{}\n", count,
                       kind == backend::cuda ? " from timing (emulation still checks them)" : "");
    out << fmt::format("  needs     {}\n", cure(kind));
  }
}

// Variants whose backend was built but which lack a library that was missing when they were built.
void print_missing_libraries(backend kind, std::ostream& out) {
  if (!has_built(kind)) return;
  std::map<std::string_view, int> lost;
  for (const manifest_entry& entry : manifest())
    if (entry.needs == kind && !entry.not_built.empty()) ++lost[entry.not_built];
  for (const auto& [reason, count] : lost) {
    out << fmt::format("  missing   {}\n", reason);
    out << fmt::format("  excludes  {} variants\n", count);
  }
}

void print_ranks(std::ostream& out) {
  out << "ranks\n";
  try {
    out << fmt::format("  {:<10}{}\n", "mpi", ranks::communicator::library());
  } catch (const unavailable& missing) {
    out << fmt::format("  missing   {}\n  excludes  runs on several GPUs or hosts\n", missing.what());
    return;
  }
  const std::string_view no_nccl = REPRISE_NCCL_MISSING;
  out << (no_nccl.empty()
              ? std::string("  nccl      searched for at the first exchange between GPUs of several ranks\n")
              : fmt::format("  missing   {}\n  excludes  fast exchange between GPUs: "
                            "REPRISE_EXCHANGE=host exchanges through the hosts' memory\n",
                            no_nccl));
}

// What `reprise count` can count here.
void print_counting(std::ostream& out) {
  out << "counts\n";
  std::string no_valgrind(counting::why_no_requests());
  if (no_valgrind.empty()) no_valgrind = counting::why_no_valgrind();
  if (no_valgrind.empty())
    out << fmt::format("  {:<10}counts instructions, branches, cache misses and allocations\n", "valgrind");
  else
    out << fmt::format("  missing   {}\n  excludes  counts of instructions\n", no_valgrind);
  counting::processor_counters own;
  own.start();
  const std::string missing = own.stop().missing;
  out << (missing.empty() ? fmt::format("  {:<10}the processor's own counters can be read\n", "perf")
                          : fmt::format("  missing   {}\n  excludes  counts by the processor\n", missing));
}

}  // namespace

void doctor(std::ostream& out) {
  all_devices();  // before any output, because a driver that crashes restarts the program
  const harness::build_info& build = harness::this_build();
  out << fmt::format("reprise {} ({})\n", build.version, build.git);
  out << fmt::format("  built with {}, {} ({}); CUDA: {}\n", build.compiler, build.build_type, build.flags,
                     build.cuda);
  if (build.build_type != "Release")
    out << "  warning: the times of this build are not valid: use the release preset\n";
  for (backend kind : {backend::cpu, backend::cuda, backend::opencl, backend::opengl}) {
    out << to_string(kind) << '\n';
    print_backend(kind, out);
    print_missing_libraries(kind, out);
  }
  print_ranks(out);
  print_counting(out);
}

}  // namespace reprise::benchmarks
