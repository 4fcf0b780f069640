// SPDX-License-Identifier: MIT
// NVIDIA's management library as sensors.
#pragma once

#include <memory>

#include "benchmarks/harness/sensors.hpp"

namespace reprise::harness {

// Throws unavailable where there is no NVML, or no board of its that is this device.
std::unique_ptr<sensors> nvml_sensors(const device& d);

}  // namespace reprise::harness
