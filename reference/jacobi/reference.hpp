// SPDX-License-Identifier: MIT
// Reference answers for jacobi: the same iteration in double precision with Eigen's sparse matrices, Eigen's
// direct solution for the converged case, and an independent assembly of the matrices.
#pragma once

#include <Eigen/SparseCore>

#include "solvers/jacobi/problem.hpp"

namespace reprise::reference::jacobi {

using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

// The matrix of p. It has entries only for neighbours that exist, so a solver whose storage wraps round at
// the edges cannot agree with it.
sparse matrix_of(const reprise::jacobi::problem& p);

// x after `sweeps` sweeps, starting from x0 or from the given x.
Eigen::VectorXd iterate(const reprise::jacobi::problem& p, int sweeps);
Eigen::VectorXd iterate(const reprise::jacobi::problem& p, Eigen::VectorXd x, int sweeps);

// The solution of A x = f by sparse LU. The matrix must not be singular (that of "neumann" is).
Eigen::VectorXd solve(const reprise::jacobi::problem& p);

}  // namespace reprise::reference::jacobi
