// SPDX-License-Identifier: MIT
// How well an answer satisfies a linear system.
#include "verification/checkers/residual.hpp"

#include "verification/checkers/maximum.hpp"

namespace reprise::checkers {

double backward_error(const Eigen::SparseMatrix<double, Eigen::RowMajor, int>& a, const Eigen::VectorXd& x,
                      const Eigen::VectorXd& f) {
  if (x.size() != a.cols() || f.size() != a.rows() || !x.allFinite() || !f.allFinite()) return not_a_number;
  const Eigen::VectorXd residual = f - a * x;
  const Eigen::VectorXd row_sums = a.cwiseAbs() * Eigen::VectorXd::Ones(a.cols());
  if (!row_sums.allFinite()) return not_a_number;
  const double scale = largest_magnitude(row_sums) * largest_magnitude(x) + largest_magnitude(f);
  const double most = largest_magnitude(residual);
  return scale > 0 ? most / scale : most;
}

}  // namespace reprise::checkers
