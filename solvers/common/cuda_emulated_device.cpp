// SPDX-License-Identifier: MIT
// Announces the emulated device, which is always there.
#include "solvers/common/cuda_emulated_runtime.hpp"
#include "solvers/common/device.hpp"

namespace reprise {
namespace {

discovery find_emulated() {
  device d;
  d.kind = backend::emulated;
  d.id = "emulated";
  d.name = "CUDA emulation on the CPU";
  d.driver = "fibers of Boost.Context";
  d.memory_bytes = cuda_emulated::memory_bytes;
  d.cache_bytes = cuda_emulated::l2_bytes;
  return {{d}, ""};
}

const backend_registration registered(backend::emulated, find_emulated);

}  // namespace
}  // namespace reprise
