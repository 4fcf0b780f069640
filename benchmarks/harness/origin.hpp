// SPDX-License-Identifier: MIT
// What the numbers of one run must have in common: program, ranks, devices and settings. A run is continued only with
// the same.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reports/store/run_folder.hpp"

namespace reprise::harness {

// The hash of the program's file.
const std::string& program_hash();

// For run.json.
nlohmann::json describe_origin(const std::vector<std::string>& engine_flags);

// Throws bad_input that names the first difference between the description of an interrupted run and what this
// process would write.
void require_same_origin(const reports::run_folder& begun, const nlohmann::json& now);

}  // namespace reprise::harness
