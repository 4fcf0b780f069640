// SPDX-License-Identifier: MIT
// Prints the results of a baseline check for people and for CI systems.
#pragma once

#include <span>
#include <string>

#include "reports/accuracy/baseline.hpp"

namespace reprise::reports {

// Results that are not held, as text for a terminal, followed by a line of counts.
std::string to_text(std::span<const baseline_result> results);

// JUnit XML for CI systems: a suite for each paper, a case for each entry.
std::string to_junit(std::span<const baseline_result> results);

}  // namespace reprise::reports
