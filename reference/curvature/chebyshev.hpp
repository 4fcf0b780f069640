// SPDX-License-Identifier: MIT
// One step of the Runge-Kutta-Chebyshev method of second order.
#pragma once

#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::reference::curvature {

using problem = reprise::curvature::problem;

// One attempted step of either method.
struct attempt {
  std::vector<double> u;
  double error{};
  long long evaluations{};
};

// Bound for the spectral radius of the right-hand side's Jacobian: the change under a disturbance that alternates from
// node to node, which is the mode of the largest eigenvalue on a flat surface.
double spectral_radius(const problem& p, const std::vector<double>& u, double t);

// The longest step that 1000 stages make stable.
double longest_chebyshev_step(double radius);

int chebyshev_stages(double tau, double radius);

// Counts the evaluation of the radius, but not that of the first stage, which the step before has made.
attempt chebyshev_step(const problem& p, const std::vector<double>& u, double t, double tau, double radius);

}  // namespace reprise::reference::curvature
