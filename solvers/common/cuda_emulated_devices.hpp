// SPDX-License-Identifier: MIT
// The devices that the emulation has, the one in use, and the faults that tests plant in them.
#pragma once

#include <cstddef>
#include <string_view>

#include "solvers/common/cuda_emulated_runtime.hpp"

namespace reprise::cuda_emulated {

int device_count();
int current_device();
void set_current_device(int index);
std::size_t memory_bytes_of(int index);

// What a call of this name on the device in use is to return before it does anything: cudaSuccess but for
// planted faults. Every call of the runtime that needs the device asks this.
cudaError_t planted(std::string_view call);

}  // namespace reprise::cuda_emulated
