// SPDX-License-Identifier: MIT
// Compares the problem that solvers and reference read with the one that the reference states itself.
#pragma once

#include <vector>

#include "solvers/jacobi/problem.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::jacobi {

// The largest differences of the matrix, the right-hand side, the first iterate and the weight.
std::vector<checkers::finding> judge_problem(const reprise::jacobi::problem& p, reprise::jacobi::matrix kind);

}  // namespace reprise::verification::jacobi
