// SPDX-License-Identifier: MIT
// A stabilised method beside Merson's, over tolerances, and what it saves at equal error.
#pragma once

#include <span>
#include <vector>

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness::curvature_cases {

std::vector<case_plan> stabilised_cases(const plan_request& request);

// For each run of a stabilised variant: evaluations, and time on the same device, of the cheapest run of Merson's
// method with the same errors, over its own.
std::vector<reports::row> savings(std::span<const reports::row> rows);

}  // namespace reprise::harness::curvature_cases
