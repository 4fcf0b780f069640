// SPDX-License-Identifier: MIT
// Barriers of some of a block's warps.
//
// `which`, below 16, is one of the block's barriers; 0 is that of __syncthreads(), for all threads. `count` is the
// number of threads that meet there, a multiple of 32, those that only arrive included.
#pragma once

#include "solvers/common/cuda/cuda.hpp"

namespace reprise::cuda {
inline namespace REPRISE_CUDA_FLAVOUR {

// Waits until all have come, and sees what they have written.
template <unsigned which>
__device__ void meet(unsigned count,
                     [[maybe_unused]] std::source_location where = std::source_location::current()) {
  static_assert(which < 16);
#ifdef REPRISE_CUDA_EMULATED
  cuda_emulated::named_barrier(which, count, where);
#else
  asm volatile("barrier.sync %0, %1;" ::"n"(which), "r"(count) : "memory");
#endif
}

// The same of a number that is known beforehand.
template <unsigned which, unsigned count>
__device__ void meet(std::source_location where = std::source_location::current()) {
  static_assert(count % 32 == 0);
  meet<which>(count, where);
}

// Shows what this thread has written to those that meet there, and goes on.
template <unsigned which>
__device__ void arrive(unsigned count,
                       [[maybe_unused]] std::source_location where = std::source_location::current()) {
  static_assert(which < 16);
#ifdef REPRISE_CUDA_EMULATED
  cuda_emulated::arrive_at_barrier(which, count, where);
#else
  asm volatile("barrier.arrive %0, %1;" ::"n"(which), "r"(count) : "memory");
#endif
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::cuda
