// SPDX-License-Identifier: MIT
// Sensors of NVIDIA's management library.
#pragma once

#include <memory>
#include <optional>
#include <set>

#include "benchmarks/harness/sensors.hpp"
#include "solvers/common/base/device.hpp"

namespace reprise::harness {

// Throws unavailable if NVML is missing or does not know this device.
std::unique_ptr<sensors> nvml_sensors(const device& d);

// How many of the programs that were busy on a GPU are others than this one, whose number may not be listed: in a container it
// differs from the host's, which NVML lists. Then one of the busy ones is this program, unless it was idle when the driver looked.
// Nothing if that cannot be told.
std::optional<int> others_among(std::set<unsigned> busy, const std::set<unsigned>& listed, unsigned own);

}  // namespace reprise::harness
