// SPDX-License-Identifier: MIT
// What a test may ask of the emulation. Needs nothing of CUDA's names.
#pragma once

namespace reprise::cuda {
inline namespace emulation {

// The next launch by this thread does not run its kernel and fails with this code, such as
// "cudaErrorLaunchFailure". Throws reprise::error for a code that the emulation does not know.
void fail_next_launch(const char* code);

}  // namespace emulation
}  // namespace reprise::cuda
