// SPDX-License-Identifier: MIT
// The exact solution of curvature with an independently derived forcing, and errors against it.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::reference::curvature {

using problem = reprise::curvature::problem;

// A surface is a vector of nodes() values, i running fastest. All functions throw std::invalid_argument if a
// surface has another length, or if the problem has no exact solution where one is needed.

// The exact solution zeta at all nodes.
std::vector<double> exact(const problem& p, double t);

// The forcing F at all nodes; zero unless the problem is the manufactured one. It comes from Taylor
// arithmetic on zeta, not from a formula derived by hand.
std::vector<double> forcing(const problem& p, double t);

// Adds F to values at all nodes.
void add_forcing(const problem& p, double t, Eigen::Ref<Eigen::ArrayXXd> to);

struct norms {
  double l1, l2, linf;
};

// (31)-(33): errors against zeta in the L1, L2 and Linf norms over space and time. Every sample has the
// weight theta (the sampling interval), including the first and the last, so M intervals contribute M + 1
// samples. Likewise every node has the weight h_x h_y, also on the border.
class space_time_norms {
 public:
  explicit space_time_norms(double theta) : theta_(theta) {}
  void add(const problem& p, const std::vector<double>& u, double t);
  norms result() const;

 private:
  double theta_;
  double sum_{};
  double sum_of_squares_{};
  double largest_{};
};

}  // namespace reprise::reference::curvature
