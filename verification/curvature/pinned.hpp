// SPDX-License-Identifier: MIT
// Compares the problem that the solvers are given with the paper's, which the reference pins by its own
// literals: nodes, initial surface, boundary values, forcing, the limit of the step and the controller's rules.
#pragma once

#include "reference/curvature/paper.hpp"
#include "solvers/curvature/problem.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::curvature {

using reference::curvature::start;

// The part that is furthest off, against the limit of that part.
checkers::finding judge_problem(const reprise::curvature::problem& p, start from);

// The rules of a run to t_end at the tolerance eps.
checkers::finding judge_control(const reprise::curvature::problem& p,
                                const reprise::curvature::control& given, double t_end, double eps);

}  // namespace reprise::verification::curvature
