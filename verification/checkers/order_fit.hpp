// SPDX-License-Identifier: MIT
// The order of convergence of a sequence of errors, with a confidence interval.
#pragma once

#include <vector>

namespace reprise::checkers {

struct fitted_order {
  double order, low, high;  // order and its 95 % confidence interval
  int points;               // number of errors used
};

// The slope of log(error) over log(step) by least squares. Only errors of at least ten times `floor`, the
// rounding plateau, count. NaN if fewer than three errors or fewer than two different steps remain, or if an
// error or the floor is not finite: a failed run belongs to no line.
fitted_order fit_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor);

}  // namespace reprise::checkers
