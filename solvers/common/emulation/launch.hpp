// SPDX-License-Identifier: MIT
// What kernels and the scheduler of a launch both need.
#pragma once

#include <cstddef>

#include "solvers/common/emulation/runtime.hpp"

namespace reprise::cuda_language {

constexpr int warpSize = 32;

// The built-in variables of the running thread.
inline constinit thread_local uint3 threadIdx{};
inline constinit thread_local uint3 blockIdx{};
inline constinit thread_local dim3 blockDim{};
inline constinit thread_local dim3 gridDim{};

}  // namespace reprise::cuda_language

namespace reprise::cuda_emulated {

// Counts events that show progress. A launch in which it stops changing is deadlocked.
inline constinit thread_local unsigned long long signs_of_life{};

struct launch_shape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  bool resident;        // whether all blocks run at the same time, or one after the other
  bool overlapped;      // whether a device may start it before the preceding launch has ended
  unsigned cluster{1};  // number of consecutive blocks that run together and reach each other's shared memory
};

// A place in shared memory where messages are counted by their bytes. A phase ends when its one expectation has been
// given and as many bytes have arrived.
struct mailbox {
  int missing;            // bytes that are expected but have not arrived; negative if they arrived first
  unsigned short phases;  // that have ended
  bool has_expectation;
  unsigned char opened;
};
static_assert(sizeof(mailbox) == 8);

// Warp operations: all lanes of the mask meet, then each takes its result. A lane gives 64 bits and names the
// lane whose bits it wants. The mask may name lanes that the block does not have; their bits are all ones.
enum class warp_operation : unsigned char { shuffle, vote, synchronize };

}  // namespace reprise::cuda_emulated
