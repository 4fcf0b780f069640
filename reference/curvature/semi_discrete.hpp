// SPDX-License-Identifier: MIT
// The scheme of curvature in flux form over edges, and the quantities that the paper measures.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::reference::curvature {

using problem = reprise::curvature::problem;

// A surface is a vector of nodes() values, i running fastest. All functions throw std::invalid_argument if a
// surface has another length, or if the problem has no exact solution where one is needed.

// Sets the border nodes to their values at time t. Under Neumann conditions they copy their inner neighbours,
// first at both ends of i, then at both ends of j.
void impose_border(const problem& p, double t, std::vector<double>& u);

// du/dt at the inner nodes and zero at the border nodes. The border values are imposed on u first.
std::vector<double> rate(const problem& p, double t, std::vector<double> u);

// The same of a surface that is an array.
Eigen::ArrayXd rate(const problem& p, double t, Eigen::ArrayXd u);

// Area of the surface: Q of the bilinear interpolation, with two by two Gauss points per cell.
double area(const problem& p, const std::vector<double>& u);

// Integral of H^2 Q over the inner nodes, with the scheme's H = div(grad u / Q).
double willmore_energy(const problem& p, const std::vector<double>& u);

}  // namespace reprise::reference::curvature
