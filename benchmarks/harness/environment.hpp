// SPDX-License-Identifier: MIT
// Everything about this machine and this build that a number depends on, for run.json.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "solvers/common/device.hpp"

namespace reprise::harness {

nlohmann::json describe_machine(std::span<const device> devices, const std::string& command);

// The time as people and files like it: 2026-01-31T12:00:00Z.
std::string utc_now();
// The same for names of files: 20260131T120000Z.
std::string utc_stamp();

}  // namespace reprise::harness
