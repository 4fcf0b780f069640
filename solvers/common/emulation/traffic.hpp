// SPDX-License-Identifier: MIT
// What programs have asked the emulated devices to do. This header does not use CUDA's names.
#pragma once

#include <cstddef>

namespace reprise::cuda {
inline namespace emulation {

struct traffic {
  long long launches{};
  long long bytes_to_device{}, bytes_to_host{}, bytes_on_device{};  // of copies
};

// The sum over all devices since the process began.
traffic traffic_so_far();

}  // namespace emulation
}  // namespace reprise::cuda

namespace reprise::cuda_emulated {

enum class direction { to_device, to_host, on_device };

void count_launch();
void count_copy(direction towards, std::size_t bytes);

}  // namespace reprise::cuda_emulated
