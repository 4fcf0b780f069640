// SPDX-License-Identifier: MIT
// Computes the drift of a weighted sum.
#include "verification/checkers/conservation.hpp"

#include "verification/checkers/maximum.hpp"

namespace reprise::checkers {

double drift(const Eigen::VectorXd& weights, const Eigen::VectorXd& before, const Eigen::VectorXd& now) {
  const bool are_alike = now.size() == before.size() && now.size() == weights.size();
  if (!are_alike || !now.allFinite() || !before.allFinite() || !weights.allFinite()) return not_a_number;
  const double size = weights.cwiseAbs().dot(now.cwiseAbs());
  const double moved = std::abs(weights.dot(now) - weights.dot(before));
  return size > 0 ? moved / size : moved;
}

}  // namespace reprise::checkers
