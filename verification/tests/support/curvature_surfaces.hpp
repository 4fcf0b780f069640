// SPDX-License-Identifier: MIT
// Helpers for surfaces in tests of the curvature family: access by node, sampling
// of functions, and differences.
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::verification::curvature {

using reprise::curvature::problem;

inline std::size_t node(const problem& p, int i, int j) {
  return static_cast<std::size_t>(j) * static_cast<std::size_t>(p.nodes_x()) + static_cast<std::size_t>(i);
}

inline std::vector<double> sampled(const problem& p, const std::function<double(double, double)>& f) {
  std::vector<double> u(p.nodes());
  for (int j = 0; j < p.nodes_y(); ++j)
    for (int i = 0; i < p.nodes_x(); ++i) u[node(p, i, j)] = f(p.x(i), p.y(j));
  return u;
}

// The larger value, where NaN is larger than any number.
inline double larger(double a, double b) {
  return std::isnan(a) || a >= b ? a : b;
}

inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = larger(largest, std::abs(a.at(k) - b.at(k)));
  return largest;
}

}  // namespace reprise::verification::curvature
