// SPDX-License-Identifier: MIT
// Measures how well a weighted sum is conserved.
#pragma once

#include <Eigen/Core>

namespace reprise::checkers {

//w.now - w.before| / (|w|.|now|): the change of a conserved sum, relative to the size of its terms.
// NaN if one of them contains a non-finite value or if their lengths differ.
double drift(const Eigen::VectorXd& weights, const Eigen::VectorXd& before, const Eigen::VectorXd& now);

}  // namespace reprise::checkers
