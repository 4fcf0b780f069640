// SPDX-License-Identifier: MIT
// What jacobi answers are measured against: the same iteration in double precision through Eigen's sparse
// matrices, Eigen's direct solution for the converged case, and an assembly of the matrices of its own.
#pragma once

#include <Eigen/SparseCore>

#include "solvers/jacobi/problem.hpp"

namespace reprise::reference::jacobi {

using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

// The matrix of p. Entries exist only where the neighbour does, so storage that wraps round cannot agree with
// it.
sparse matrix_of(const reprise::jacobi::problem& p);

// x after `sweeps` sweeps from x0.
Eigen::VectorXd iterate(const reprise::jacobi::problem& p, int sweeps);

// The solution of A x = f by sparse LU. The matrix must not be singular ("neumann" is).
Eigen::VectorXd solve(const reprise::jacobi::problem& p);

// The finite-element matrices of "neumann" and "pinned" by numerical integration of the shape functions,
// which shares nothing with the element matrices that the problem is built from.
sparse integrate(reprise::jacobi::matrix kind, int nx, int ny);

}  // namespace reprise::reference::jacobi
