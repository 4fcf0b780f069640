// SPDX-License-Identifier: MIT
// Functions by which tests control the emulation. This header does not use CUDA's names.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reprise::cuda {
inline namespace emulation {

// Replaces the emulated devices (default: one) and clears planted faults.
void have_devices(const std::vector<std::size_t>& memory_bytes);

// Architectures, each ten times the major number plus the minor one: of a device, of the machine code of all
// kernels on it, and of the source of that code. A driver that compiles PTX makes new machine code of old source.
struct architectures {
  int device{90};
  int binary{90};
  int source{90};
};

// Replaces a device's architectures. A thread that has launched a kernel on this device may still remember the
// former ones for that kernel.
void have_code(int device, const architectures& a);

// The number of launches of this process that a device could have started before the preceding one had ended.
long long overlapped_launches();

// What launches of this process had: shared memory; several blocks that were resident together, as those must be that wait
// for each other.
struct launch_kinds {
  long long with_shared_memory{};
  long long of_resident_blocks{};
};
launch_kinds launches_seen();

struct fault {
  int device{};
  std::string call;        // "cudaMalloc" and so on, or "launch"
  int calls_to_go_well{};  // calls that succeed before the one that fails
  std::string code;        // "cudaErrorLaunchTimeout"
  bool is_lasting{};       // the device is lost: its later calls all fail, until the process ends
};

// Plants a fault: the call that fails has no effect. Throws reprise::error if the emulation
// does not know the error code.
void plant(const fault& f);

}  // namespace emulation
}  // namespace reprise::cuda
