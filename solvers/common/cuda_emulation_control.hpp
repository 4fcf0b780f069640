// SPDX-License-Identifier: MIT
// What a test may ask of the emulation. Needs nothing of CUDA's names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reprise::cuda {
inline namespace emulation {

// From now on the emulation has these devices, without faults. Before, it has one.
void have_devices(const std::vector<std::size_t>& memory_bytes);

struct fault {
  int device{};
  std::string call;        // "cudaMalloc" and so on, or "launch"
  int calls_to_go_well{};  // before the one that fails
  std::string code;        // "cudaErrorLaunchTimeout"
  bool is_lasting{};  // the device is lost: each of its later calls fails likewise, until the process ends
};

// The call that fails does nothing. Throws reprise::error for a code that the emulation does not know.
void plant(const fault& f);

}  // namespace emulation
}  // namespace reprise::cuda
