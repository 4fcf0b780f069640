// SPDX-License-Identifier: MIT
// Boundary conditions on the host: (8), (13), (19), (20), (24), (25).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "solvers/curvature/grid.hpp"
#include "solvers/curvature/manufactured.hpp"

namespace reprise::curvature {

// zeta's factors along x and along y, at every grid line.
template <class Real>
struct profiles {
  std::vector<profile<Real>> x, y;

  explicit profiles(const grid& g) {
    for (int i = 0; i < g.nodes_x(); ++i) x.push_back(in_precision(profile_at(g.x(i))));
    for (int j = 0; j < g.nodes_y(); ++j) y.push_back(in_precision(profile_at(g.y(j))));
  }

 private:
  static profile<Real> in_precision(const profile<double>& exact) {
    profile<Real> rounded;
    for (int k = 0; k < 5; ++k) rounded.d[k] = static_cast<Real>(exact.d[k]);
    return rounded;
  }
};

// Calls set(i, j) for every border node, first for those at both ends of x.
template <class Set>
void for_border(const grid& g, Set set) {
  for (int j = 0; j < g.nodes_y(); ++j)
    for (int i : {0, g.cells_x}) set(i, j);
  for (int i = 0; i < g.nodes_x(); ++i)
    for (int j : {0, g.cells_y}) set(i, j);
}

// Each border node gets the value of its inner neighbour, and a corner that of its diagonal neighbour.
template <class Real>
void mirror_border(const grid& p, Real* field) {
  const auto at = [&](int i, int j) -> Real& {
    return field[i + static_cast<std::ptrdiff_t>(j) * p.nodes_x()];
  };
  for_border(p, [&](int i, int j) {
    at(i, j) = at(std::clamp(i, 1, p.cells_x - 1), std::clamp(j, 1, p.cells_y - 1));
  });
}

// Sets the border of u at time t. Under dirichlet it never changes.
template <class Real>
void impose_border(const grid& p, const profiles<Real>& zeta, double t, Real* u) {
  if (p.boundary == boundary::neumann) return mirror_border(p, u);
  if (p.boundary == boundary::dirichlet) return;
  const auto c = static_cast<Real>(phase_at(t).c);
  for_border(p, [&](int i, int j) {
    u[i + static_cast<std::ptrdiff_t>(j) * p.nodes_x()] =
        c * zeta.x[static_cast<std::size_t>(i)].d[0] * zeta.y[static_cast<std::size_t>(j)].d[0];
  });
}

// Sets the border of w. Unless it is copied it keeps the zeros that it has from the start.
template <class Real>
void impose_border_of_w(const grid& p, Real* w) {
  if (p.boundary == boundary::neumann) mirror_border(p, w);
}

}  // namespace reprise::curvature
