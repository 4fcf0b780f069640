// SPDX-License-Identifier: MIT
// One case of a surface that moves by its mean curvature, split by rows over several ranks, as the harness
// loads, checks and times it.
#pragma once

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness::scale {

// Single precision, on the first `ranks` of the started ranks.
case_plan plan_surface(const std::string& variant, grid_size cells, int ranks);

}  // namespace reprise::harness::scale
