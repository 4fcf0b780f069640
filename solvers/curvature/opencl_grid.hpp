// SPDX-License-Identifier: MIT
// What the variants in OpenCL share: options of their kernels, tables of the profile, and the largest of some values.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/curvature/grid.hpp"
#include "solvers/curvature/manufactured.hpp"

namespace reprise::curvature {

// Options of flows.cl, and the boundary condition.
template <class Real>
std::string opencl_flow_options(const grid& g, int lanes) {
  std::string options = "-cl-std=CL1.2 -D LANES=" + std::to_string(lanes) +
                        (sizeof(Real) == sizeof(double) ? " -D REAL=double" : " -D REAL=float");
  if (g.flow == flow::willmore) options += " -D WILLMORE";
  if (g.boundary == boundary::manufactured) options += " -D MANUFACTURED";
  if (g.boundary == boundary::neumann) options += " -D NEUMANN";
  return options;
}

// The profile X and its derivatives along one axis: all values of X, then those of X' and so on.
template <class Real, class Coordinate>
std::vector<Real> profile_table(int lines, Coordinate at) {
  std::vector<Real> table;
  for (int derivative = 0; derivative < 5; ++derivative)
    for (int i = 0; i < lines; ++i) table.push_back(static_cast<Real>(profile_at(at(i)).d[derivative]));
  return table;
}

// NaN if one of them is, as on the device.
template <class Real>
double largest_of(const std::vector<Real>& values) {
  double most = 0;
  for (const Real value : values) {
    if (std::isnan(value)) return value;
    most = std::max(most, static_cast<double>(value));
  }
  return most;
}

}  // namespace reprise::curvature
