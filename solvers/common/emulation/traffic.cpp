// SPDX-License-Identifier: MIT
// Adds up launches and bytes. Threads of a host may drive devices of their own.
#include "solvers/common/emulation/traffic.hpp"

#include <array>
#include <atomic>

namespace reprise::cuda_emulated {
namespace {

std::atomic<long long> launches{0};
std::array<std::atomic<long long>, 3> bytes{};  // by direction

}  // namespace

void count_launch() {
  ++launches;
}

void count_copy(direction towards, std::size_t moved) {
  bytes.at(static_cast<std::size_t>(towards)) += static_cast<long long>(moved);
}

}  // namespace reprise::cuda_emulated

namespace reprise::cuda {
inline namespace emulation {

traffic traffic_so_far() {
  const auto& [to_device, to_host, on_device] = cuda_emulated::bytes;
  return {cuda_emulated::launches, to_device, to_host, on_device};
}

}  // namespace emulation
}  // namespace reprise::cuda
