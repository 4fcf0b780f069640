// SPDX-License-Identifier: MIT
// The architecture for which the kernels of this program were compiled. What a kernel can do is decided by
// __CUDA_ARCH__ when it is compiled, and not by the device that runs it: a program that was built for compute
// capability 7.5 has code of 7.5 on a newer device too, which its driver compiles from PTX. The host must
// therefore ask the kernel, and never the device, before it relies on anything that depends on __CUDA_ARCH__.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <source_location>

#include "solvers/common/cuda/call.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// __CUDA_ARCH__ / 10 of a kernel's code on the current device. ptxVersion is the architecture for which the
// source was compiled, and binaryVersion that of the machine code. They differ where the machine code was made
// from PTX of an older architecture. An unknown architecture is 0.
inline int architecture_of(const void* kernel, std::source_location where = std::source_location::current()) {
  cudaFuncAttributes about{};
  check(cudaFuncGetAttributes(&about, kernel), "cudaFuncGetAttributes", where);
  return std::min(about.binaryVersion, about.ptxVersion);
}

// The first architecture whose kernels wait in wait_for_preceding().
constexpr int first_that_waits = 90;

// Whether wait_for_preceding() waits in this kernel on the current device. Asked before every overlapped launch,
// so each thread remembers the latest answers.
inline bool waits_for_preceding(const void* kernel,
                                std::source_location where = std::source_location::current()) {
  struct answer {
    const void* kernel;
    int device;
    bool waits;
  };
  thread_local std::array<answer, 64> known{};
  int current = 0;
  REPRISE_CUDA(cudaGetDevice(&current));
  answer& found = known[reinterpret_cast<std::uintptr_t>(kernel) / 16 % known.size()];
  if (found.kernel != kernel || found.device != current)
    found = {kernel, current, architecture_of(kernel, where) >= first_that_waits};
  return found.waits;
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
