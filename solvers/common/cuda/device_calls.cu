// SPDX-License-Identifier: MIT
// What the harness asks of a CUDA device: to become the current one, whether it still works, and what code of
// this program it runs.
#include "solvers/common/cuda/device_calls.hpp"

#include "solvers/common/base/device_calls.hpp"

namespace reprise {
namespace {

void ask(const device& d) {
  cuda::use_device(d);
  REPRISE_CUDA(cudaDeviceSynchronize());
}

const device_calls_registration calls(backend::cuda,
                                      {.use = cuda::use_device, .ask = ask, .code = cuda::code_on});

}  // namespace
}  // namespace reprise
