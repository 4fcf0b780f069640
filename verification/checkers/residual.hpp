// SPDX-License-Identifier: MIT
// How well an answer satisfies a linear system.
#pragma once

#include <Eigen/SparseCore>

namespace reprise::checkers {

// max |f - A x| / (max row sum of |A| * max |x| + max |f|): the normwise backward error.
// NaN if one of them contains a non-finite value or if their lengths do not fit.
double backward_error(const Eigen::SparseMatrix<double, Eigen::RowMajor, int>& a, const Eigen::VectorXd& x,
                      const Eigen::VectorXd& f);

}  // namespace reprise::checkers
