// SPDX-License-Identifier: MIT
// Sensors of NVIDIA's management library.
#pragma once

#include <memory>

#include "benchmarks/harness/sensors.hpp"
#include "solvers/common/base/device.hpp"

namespace reprise::harness {

// Throws unavailable if NVML is missing or does not know this device.
std::unique_ptr<sensors> nvml_sensors(const device& d);

}  // namespace reprise::harness
