// SPDX-License-Identifier: MIT
// The emulated devices, the current one, and the faults that tests plant in them.
#pragma once

#include <cstddef>
#include <string_view>

#include "solvers/common/emulation/codes.hpp"

namespace reprise::cuda_emulated {

// Limits of the emulated device. They are small, so that what runs here fits on any device.
constexpr int multiprocessors = 16;
constexpr int threads_per_multiprocessor = 1024;
constexpr int blocks_per_multiprocessor = 16;
constexpr unsigned threads_per_block = 1024;
constexpr unsigned blocks_per_cluster = 16;
constexpr std::size_t l2_bytes = std::size_t{1} << 20;
constexpr std::size_t memory_bytes = std::size_t{2} << 30;  // of the default device
constexpr std::size_t shared_bytes_optin = std::size_t{227} << 10;
constexpr std::size_t shared_bytes_per_multiprocessor = std::size_t{228} << 10;

int device_count();
int current_device();
void set_current_device(int index);
std::size_t memory_bytes_of(int index);

// The architectures of a device and of its kernels' code, each ten times the major number plus the minor one.
struct compiled_code {
  int device{90};
  int binary{90};  // of the machine code
  int source{90};  // for which the source was compiled; older than `binary` if the driver compiled PTX

  bool waits_for_preceding() const { return binary >= 90 && source >= 90; }
};
compiled_code code_on(int index);

void count_overlapped();
void count_launch_with(bool shared_memory, bool resident_blocks);

// The code that a call of this name on the current device must return before doing anything: cudaSuccess
// unless a fault is planted. Every runtime call that needs the device asks this first.
cudaError_t planted(std::string_view call);

}  // namespace reprise::cuda_emulated
