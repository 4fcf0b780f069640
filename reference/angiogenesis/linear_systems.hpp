// SPDX-License-Identifier: MIT
// Precise solutions of the step's linear systems, and what is known beforehand about its matrix.
#pragma once

#include <vector>

#include "reference/angiogenesis/operators.hpp"

namespace reprise::reference::angiogenesis {

// Solve A x = b in long double: for the problem's own A by its structure, for any
// other matrix by partial pivoting.
state solve_precisely(const problem& p, const state& b);
state solve_precisely(const Eigen::MatrixXd& a, const state& b);

// ||A|| ||A^-1|| in the maximum norm. A is an M-matrix, so its inverse is non-negative and A^-1 (1, ..., 1)
// holds the row sums of the inverse.
double condition(const problem& p);

struct pivoting {
  double condition;  // in the maximum norm
  double growth;     // max |u_ij| / max |a_ij| with partial pivoting
};
pivoting examine(const Eigen::MatrixXd& a);

// The columns at which partial pivoting swaps rows of A. In each field that diffuses this can only be the
// last column but one: it swaps if the 2 r of the last row (doubled by the ghost node) exceeds the pivot
// p_(M-2). The pivots are p_0 = 1 + 2r + s, p_1 = p_0 - 2 r^2 / p_0, p_k = p_0 - r^2 / p_(k-1), with
// r = dt d / (2 h^2) and, for P only, s = dt k6 / 2.
std::vector<int> swapped_columns(const problem& p);

}  // namespace reprise::reference::angiogenesis
