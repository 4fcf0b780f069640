// SPDX-License-Identifier: MIT
// Distances between an answer and its reference. Maxima must not hide a NaN.
#include "verification/checkers/norms.hpp"

#include "verification/checkers/maximum.hpp"

namespace reprise::checkers {

double max_relative_error(const Eigen::VectorXd& answer, const Eigen::VectorXd& reference) {
  if (!answer.allFinite() || !reference.allFinite()) return not_a_number;
  const double scale = largest_magnitude(reference);
  const double distance = largest_distance(answer, reference);
  return scale > 0 ? distance / scale : distance;
}

double max_relative_error(const std::vector<float>& answer, const Eigen::VectorXd& reference) {
  const Eigen::Map<const Eigen::VectorXf> mapped(answer.data(), static_cast<Eigen::Index>(answer.size()));
  return max_relative_error(Eigen::VectorXd(mapped.cast<double>()), reference);
}

}  // namespace reprise::checkers
