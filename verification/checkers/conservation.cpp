// SPDX-License-Identifier: MIT
// Computes the drift of a weighted sum.
#include "verification/checkers/conservation.hpp"

#include <limits>

namespace reprise::checkers {

double drift(const Eigen::VectorXd& weights, const Eigen::VectorXd& before, const Eigen::VectorXd& now) {
  if (now.size() != before.size() || !now.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double size = weights.cwiseAbs().dot(now.cwiseAbs());
  const double moved = std::abs(weights.dot(now) - weights.dot(before));
  return size > 0 ? moved / size : moved;
}

}  // namespace reprise::checkers
