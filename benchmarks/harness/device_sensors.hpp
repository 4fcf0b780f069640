// SPDX-License-Identifier: MIT
// The sensors of each device. GPUs are read through NVML, which is loaded at run time so that machines
// without it work too; processors through RAPL and cpufreq.
#pragma once

#include <memory>
#include <string>

#include "benchmarks/harness/sensors.hpp"
#include "solvers/common/base/device.hpp"

namespace reprise::harness {

std::unique_ptr<sensors> sensors_of(const device& d);

// Returns one sentence if the clock moved by more than 5 % or the device was throttled
// meanwhile; otherwise an empty text.
std::string clock_change(const clock_state& before, const clock_state& after);

}  // namespace reprise::harness
