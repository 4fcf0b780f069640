// SPDX-License-Identifier: MIT
// Checks the test problems themselves. Solver and reference are given the same matrix elsewhere, so a wrong
// conductivity or weight would be right there.
#pragma once

#include <vector>

#include "solvers/jacobi/problem.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::jacobi {

// The largest difference from the problem as this file states it, in matrix, right-hand side, initial state and weight.
std::vector<checkers::finding> judge_problem(const reprise::jacobi::problem& p, reprise::jacobi::matrix kind);

}  // namespace reprise::verification::jacobi
