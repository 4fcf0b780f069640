// SPDX-License-Identifier: MIT
// A weighted sum that must keep its value.
#pragma once

#include <Eigen/Core>

namespace reprise::checkers {

// |w.now - w.before| / (|w|.|now|): how far a conserved sum has moved, measured against the size of its
// terms.
double drift(const Eigen::VectorXd& weights, const Eigen::VectorXd& before, const Eigen::VectorXd& now);

}  // namespace reprise::checkers
