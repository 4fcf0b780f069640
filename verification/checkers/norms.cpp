// SPDX-License-Identifier: MIT
// Distances between an answer and its reference. Sums and maxima must not hide a NaN: std::max skips it,
// because every comparison with it is false.
#include "verification/checkers/norms.hpp"

#include <limits>

namespace reprise::checkers {

double max_relative_error(const Eigen::VectorXd& answer, const Eigen::VectorXd& reference) {
  if (answer.size() != reference.size() || !answer.allFinite())
    return std::numeric_limits<double>::quiet_NaN();
  const double scale = reference.cwiseAbs().maxCoeff();
  const double distance = (answer - reference).cwiseAbs().maxCoeff();
  return scale > 0 ? distance / scale : distance;
}

double max_relative_error(const std::vector<float>& answer, const Eigen::VectorXd& reference) {
  const Eigen::Map<const Eigen::VectorXf> mapped(answer.data(), static_cast<Eigen::Index>(answer.size()));
  return max_relative_error(Eigen::VectorXd(mapped.cast<double>()), reference);
}

}  // namespace reprise::checkers
