// SPDX-License-Identifier: MIT
// The cells of a tissue on the host: who is whose neighbour at the borders, and the Laplacian of (6).
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

// Index, along one axis of n cells, of the cell that stands for the one before the first or after the last.
inline int before_first(edge border, int n) {
  return border == edge::no_flux ? 0 : border == edge::mirrored ? 1 : n - 1;
}
inline int after_last(edge border, int n) {
  return border == edge::no_flux ? n - 1 : border == edge::mirrored ? n - 2 : 0;
}

// For each of n cells the index of the cell before it and of the one after it.
struct neighbours {
  std::vector<int> before, after;

  neighbours(edge border, int n) {
    for (int i = 0; i < n; ++i) {
      before.push_back(i == 0 ? before_first(border, n) : i - 1);
      after.push_back(i == n - 1 ? after_last(border, n) : i + 1);
    }
  }
};

// 6 dx^2 times the Laplacian: axial weights 4, diagonal 1, centre -20. Whole weights cancel exactly on a
// constant. Rows below, at and above the cell; its column and those before and after it.
inline double weighted_sum(const double* below, const double* here, const double* above, int before, int at,
                           int after) {
  const double axial = (here[before] + here[after]) + (below[at] + above[at]);
  const double diagonal = (below[before] + below[after]) + (above[before] + above[after]);
  return 4 * axial + diagonal - 20 * here[at];
}

}  // namespace reprise::tissue
