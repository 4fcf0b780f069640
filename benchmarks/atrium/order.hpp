// SPDX-License-Identifier: MIT
// Measures the order of the atrium paper's methods, with and without Rush-Larsen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::atrium_cases {

// Errors of fixed steps of decreasing length on one cell, in double precision.
case_plan plan_order(const std::string& variant, atrium::scheme method, atrium::gate_rule gates);

// Log-log slopes of these errors over the steps; the quartiles hold the 95 % confidence interval.
std::vector<reports::row> fitted_orders(std::span<const reports::row> rows);

}  // namespace reprise::harness::atrium_cases
