// SPDX-License-Identifier: MIT
// The emulated side of cuda/barrier.hpp.
#pragma once

#include <source_location>

namespace reprise::cuda_emulated {

// Arrives at one of the block's barriers, where `count` threads meet, without waiting for the others.
void arrive_at_barrier(unsigned which, unsigned count, std::source_location where);

}  // namespace reprise::cuda_emulated
