// SPDX-License-Identifier: MIT
// The devices of a run, as its description lists them: what they are called, and which comes first.
#pragma once

#include <cstddef>
#include <string>

#include "reports/run_folder.hpp"

namespace reprise::reports {

// What the description calls the device, or else its id.
std::string device_name(const run& from, const std::string& id);

// The place of the device in the description's list; those that it does not list come last.
std::size_t device_rank(const run& from, const std::string& id);

// The name for people: with its id where two devices of the run are called the same.
std::string device_label(const run& from, const std::string& id);

}  // namespace reprise::reports
