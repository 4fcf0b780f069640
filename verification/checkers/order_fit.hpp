// SPDX-License-Identifier: MIT
// The order of convergence of a row of errors, and how well they determine it.
#pragma once

#include <vector>

namespace reprise::checkers {

struct fitted_order {
  double order, low, high;  // and its 95 % confidence interval
  int points;               // that it comes from
};

// The slope of log(error) over log(step) by least squares. Only errors of ten times `floor`, the plateau of
// rounding, or more count. Not a number with fewer than three of these or fewer than two different steps, or
// where an error is not a number: a run that failed is no part of a line.
fitted_order fit_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor);

}  // namespace reprise::checkers
