// SPDX-License-Identifier: MIT
// The flavour of CUDA that a source is compiled for, the check that every call goes through, and the device
// in use.
#pragma once

#include <cstddef>
#include <source_location>
#include <string>

#include "solvers/common/device.hpp"
#include "solvers/common/error.hpp"

#ifdef REPRISE_CUDA_EMULATED
#include "solvers/common/cuda_emulated.hpp"
#define REPRISE_CUDA_FLAVOUR emulation
#else
#include <cuda_runtime.h>
#define REPRISE_CUDA_FLAVOUR real
// Declares an array that a block shares: REPRISE_SHARED_ARRAY(float, tile, [3][66]);
#define REPRISE_SHARED_ARRAY(TYPE, NAME, EXTENTS) __shared__ TYPE NAME EXTENTS
#endif

// Makes a call of the CUDA runtime; throws reprise::error with the call, the code and the place if it fails.
#define REPRISE_CUDA(CALL) ::reprise::cuda::check((CALL), #CALL)

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

[[noreturn]] inline void fail(cudaError_t code, const std::string& call, std::source_location where) {
  // The runtime remembers the code; the next call that asks for it would be blamed for this one.
  static_cast<void>(cudaGetLastError());
  throw error(call + " failed: " + cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")", where);
}

inline void check(cudaError_t code, const char* call,
                  std::source_location where = std::source_location::current()) {
  if (code != cudaSuccess) fail(code, call, where);
}

inline void use_device(const device& d) {
  REPRISE_CUDA(cudaSetDevice(d.index));
}

inline int attribute(cudaDeviceAttr which) {
  int current = 0;
  int value = 0;
  REPRISE_CUDA(cudaGetDevice(&current));
  REPRISE_CUDA(cudaDeviceGetAttribute(&value, which, current));
  return value;
}

// What a variant that sizes itself by the device asks of the one in use.
struct properties {
  int multiprocessors{};
  std::size_t l2_bytes{};
  std::size_t shared_bytes_per_block{};  // with the opt-in that launch() makes
};

inline properties current_properties() {
  return {attribute(cudaDevAttrMultiProcessorCount),
          static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)),
          static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin))};
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
