// SPDX-License-Identifier: MIT
// Of which order the atrium paper's methods are, with Rush-Larsen and without.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::atrium_cases {

// The errors of fixed steps of falling length on one cell, in double precision.
case_plan plan_order(const std::string& variant, atrium::scheme method, atrium::gate_rule gates);

// Slopes of these errors over the steps, with their 95 % confidence intervals as quartiles.
std::vector<reports::row> fitted_orders(std::span<const reports::row> rows);

}  // namespace reprise::harness::atrium_cases
