// SPDX-License-Identifier: MIT
// The architecture for which the kernels of this program were compiled. What a kernel can do is decided by
// __CUDA_ARCH__ when it is compiled, and not by the device that runs it: a program that was built for compute
// capability 7.5 has code of 7.5 on a newer device too, which its driver compiles from PTX. The host must
// therefore ask the kernel, and never the device, before it relies on anything that depends on __CUDA_ARCH__.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>

#include "solvers/common/cuda/call.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

inline cudaFuncAttributes attributes_of(const void* kernel, std::source_location where) {
  cudaFuncAttributes about{};
  check(cudaFuncGetAttributes(&about, kernel), "cudaFuncGetAttributes", where);
  return about;
}

// __CUDA_ARCH__ / 10 of a kernel's code on the current device. ptxVersion is the architecture for which the
// source was compiled, and binaryVersion that of the machine code. They differ where the machine code was made
// from PTX of an older architecture. An unknown architecture is 0.
inline int architecture_of(const cudaFuncAttributes& about) {
  return std::min(about.binaryVersion, about.ptxVersion);
}
inline int architecture_of(const void* kernel, std::source_location where = std::source_location::current()) {
  return architecture_of(attributes_of(kernel, where));
}

// The first architecture whose kernels wait in wait_for_preceding().
constexpr int first_that_waits = 90;

// What launches of a kernel on a device depend on.
struct launched_kernel {
  const void* kernel;
  int device;
  bool waits;                // in wait_for_preceding()
  std::size_t static_bytes;  // of shared memory that the kernel declares for each block
  std::size_t most_bytes;    // of shared memory for each block, those included, that launches may have now
};

// A kernel of the current device. Asked before every launch, so each thread remembers the latest answers.
inline launched_kernel& launched(const void* kernel,
                                 std::source_location where = std::source_location::current()) {
  constexpr std::size_t without_opting_in = 48 << 10;
  thread_local std::array<launched_kernel, 64> known{};
  int current = 0;
  REPRISE_CUDA(cudaGetDevice(&current));
  launched_kernel& found = known[reinterpret_cast<std::uintptr_t>(kernel) / 16 % known.size()];
  if (found.kernel != kernel || found.device != current) {
    const cudaFuncAttributes about = attributes_of(kernel, where);
    found = {kernel, current, architecture_of(about) >= first_that_waits, about.sharedSizeBytes,
             without_opting_in};
  }
  return found;
}

// Whether wait_for_preceding() waits in this kernel on the current device.
inline bool waits_for_preceding(const void* kernel,
                                std::source_location where = std::source_location::current()) {
  return launched(kernel, where).waits;
}

// A block gets more than 48 KiB of shared memory, what its kernel declares included, only after this opt-in. Throws
// unavailable if the device has less.
inline void raise_shared_limit(const void* kernel, std::size_t dynamic_bytes, std::source_location where) {
  if (dynamic_bytes == 0) return;
  launched_kernel& k = launched(kernel, where);
  const std::size_t whole = dynamic_bytes + k.static_bytes;
  if (whole <= k.most_bytes) return;
  const std::size_t most = current_properties().shared_bytes_per_block;
  if (whole > most)
    throw unavailable("does not fit: " + std::to_string(whole) +
                      " bytes of shared memory asked for by each block, this device gives at most " +
                      std::to_string(most));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(most - k.static_bytes)),
        "raising a kernel's limit of shared memory", where);
  k.most_bytes = most;
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
