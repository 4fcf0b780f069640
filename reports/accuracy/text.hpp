// SPDX-License-Identifier: MIT
// Prints the results of a baseline check for people and for CI systems.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "reports/accuracy/baseline.hpp"

namespace reprise::reports {

// Results that are not held, as text for a terminal, followed by a line of counts.
std::string to_text(std::span<const baseline_result> results);

// What the results were made from.
struct junit_source {
  std::filesystem::path baseline;
  const run& checked;
};

// JUnit XML for CI systems: a suite for each variant, a case for each entry with the baseline's file and the time of the
// run's case, 0 if it has none.
std::string to_junit(std::span<const baseline_result> results, const junit_source& from);

}  // namespace reprise::reports
