// SPDX-License-Identifier: MIT
// The jacobi problems by numbers of the reference's own. Finite-element matrices come from numerical integration of
// the shape functions, which shares nothing with the element matrices from which the solvers' problem is built.
#pragma once

#include <Eigen/Core>

#include "reference/jacobi/reference.hpp"
#include "solvers/jacobi/problem.hpp"

namespace reprise::reference::jacobi {

struct stated_problem {
  sparse matrix;
  Eigen::VectorXd f, x0;
  double omega{};
};

stated_problem state(reprise::jacobi::matrix kind, int nx, int ny);

}  // namespace reprise::reference::jacobi
