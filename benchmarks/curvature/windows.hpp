// SPDX-License-Identifier: MIT
// Judges parts of a timed run: the solver repeats the run with a few more stops, and between two of them the
// reference goes on from the solver's own state.
#pragma once

#include <string_view>
#include <vector>

#include "solvers/curvature/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::harness::curvature_cases {

// A run through `times` by the rules `given`. `last` is how it ended when it was timed, and says how many
// attempts it takes. One finding of each metric.
std::vector<checkers::finding> judge_windows(curvature::solver& s, const curvature::problem& p,
                                             const curvature::control& given,
                                             const std::vector<double>& times, const curvature::merson& last,
                                             precision arithmetic, std::string_view seed);

}  // namespace reprise::harness::curvature_cases
