// SPDX-License-Identifier: MIT
// The host processor as a device.
#include <omp.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/host_memory.hpp"

namespace reprise {
namespace {

std::string model_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "CPU";
}

discovery find_cpu() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return {{{.kind = backend::cpu,
            .index = 0,
            .id = "cpu",
            .name = model_name(),
            .driver = "OpenMP, " + std::to_string(omp_get_max_threads()) + " threads",
            .memory_bytes = pages * page_bytes,
            .cache_bytes = host_cache_bytes(),
            .fp64 = true,
            .pci = "",
            .on_host = true,
            .in_host_memory = true}},
          ""};
}

const backend_registration registered(backend::cpu, find_cpu);

}  // namespace
}  // namespace reprise
