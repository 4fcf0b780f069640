// SPDX-License-Identifier: MIT
// The flavour of CUDA (device or emulation) that a source is compiled for, the check around every call, and
// properties of the current device.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>
#include <source_location>
#include <string>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/patience.hpp"

#ifdef REPRISE_CUDA_EMULATED
#include "solvers/common/emulation/emulation.hpp"
#define REPRISE_CUDA_FLAVOUR emulation
#else
#include <cuda_runtime.h>
#define REPRISE_CUDA_FLAVOUR real
// Declares an array in shared memory: REPRISE_SHARED_ARRAY(float, tile, [3][66]);
#define REPRISE_SHARED_ARRAY(TYPE, NAME, EXTENTS) __shared__ TYPE NAME EXTENTS
#endif

// Calls the CUDA runtime. If the call fails, throws reprise::error with the call, the error
// code and the source location.
#define REPRISE_CUDA(CALL) ::reprise::cuda::check((CALL), #CALL)

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// Why a kernel has stopped itself, with the reason that the current device's kernels left; empty if none did.
inline std::string said_by_kernels();

[[noreturn]] inline void fail(cudaError_t code, const std::string& call, std::source_location where) {
  // Clears the runtime's last error, which the next query would otherwise report for another call.
  static_cast<void>(cudaGetLastError());
  throw error(
      call + " failed: " + cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")" + said_by_kernels(),
      where);
}

inline void check(cudaError_t code, const char* call,
                  std::source_location where = std::source_location::current()) {
  if (code != cudaSuccess) fail(code, call, where);
}

#ifdef REPRISE_CUDA_EMULATED
// Emulated kernels stop by an exception.
inline std::string said_by_kernels() {
  return "";
}
#else
constexpr int most_devices = 64;

// Null until a kernel may wait for another block.
inline std::atomic<volatile unsigned long long*> last_words{nullptr};

// One word per device, in the host's memory: it can be read when the device is lost. Never freed, because
// the devices may be lost when the program ends.
inline unsigned long long* last_words_of_kernels() {
  static unsigned long long* const words = [] {
    void* memory = nullptr;
    check(cudaHostAlloc(&memory, most_devices * sizeof(unsigned long long),
                        cudaHostAllocPortable | cudaHostAllocMapped),
          "cudaHostAlloc");
    std::memset(memory, 0, most_devices * sizeof(unsigned long long));
    last_words = static_cast<unsigned long long*>(memory);
    return static_cast<unsigned long long*>(memory);
  }();
  return words;
}

inline std::string said_by_kernels() {
  const volatile unsigned long long* const words = last_words;
  int current = 0;
  if (words == nullptr || cudaGetDevice(&current) != cudaSuccess) return "";
  const unsigned long long word = words[current];
  return word == 0 ? "" : ": " + sentence_of(word);
}
#endif

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

// Properties of the current device, for variants that choose their sizes by them.
struct properties {
  int multiprocessors{};
  std::size_t l2_bytes{};
  std::size_t shared_bytes_per_block{};  // the most that launch() can give a block, by opting in
};

inline properties current_properties() {
  return {attribute(cudaDevAttrMultiProcessorCount),
          static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)),
          static_cast<std::size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin))};
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
