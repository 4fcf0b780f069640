// SPDX-License-Identifier: MIT
// Describes everything about this machine and this build that a measurement depends on, for run.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "solvers/common/base/device.hpp"

namespace reprise::harness {

nlohmann::json describe_machine(std::span<const device> devices, const std::string& command);

// The current time in ISO 8601: 2026-01-31T12:00:00Z.
std::string utc_now();
// The same without punctuation, for file names: 20260131T120000Z.
std::string utc_stamp();

}  // namespace reprise::harness
