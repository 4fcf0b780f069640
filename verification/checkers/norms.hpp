// SPDX-License-Identifier: MIT
// Distances between an answer and its reference.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace reprise::checkers {

// max |answer - reference| / max |reference|; NaN if one of them contains a non-finite
// value or if their lengths differ.
double max_relative_error(const std::vector<float>& answer, const Eigen::VectorXd& reference);
double max_relative_error(const Eigen::VectorXd& answer, const Eigen::VectorXd& reference);

}  // namespace reprise::checkers
