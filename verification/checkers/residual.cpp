// SPDX-License-Identifier: MIT
// How well an answer satisfies a linear system.
#include "verification/checkers/residual.hpp"

#include <limits>

namespace reprise::checkers {

double backward_error(const Eigen::SparseMatrix<double, Eigen::RowMajor, int>& a, const Eigen::VectorXd& x,
                      const Eigen::VectorXd& f) {
  if (!x.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd residual = f - a * x;
  const Eigen::VectorXd row_sums = a.cwiseAbs() * Eigen::VectorXd::Ones(a.cols());
  const double scale = row_sums.maxCoeff() * x.cwiseAbs().maxCoeff() + f.cwiseAbs().maxCoeff();
  return scale > 0 ? residual.cwiseAbs().maxCoeff() / scale : residual.cwiseAbs().maxCoeff();
}

}  // namespace reprise::checkers
