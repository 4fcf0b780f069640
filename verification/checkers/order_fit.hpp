// SPDX-License-Identifier: MIT
// The order of convergence of a sequence of errors, with a confidence interval.
#pragma once

#include <string>
#include <vector>

namespace reprise::checkers {

struct fitted_order {
  double order, low, high;  // order and its 95 % confidence interval
  int points;               // number of errors used
  std::string flaw{};       // why there is no order; empty if there is one
};

// The slope of log(error) over log(step) by least squares. Only errors of at least ten times `floor`, the
// rounding plateau, count. NaN if fewer than three errors or fewer than two different steps remain, or if an
// error or the floor is not finite: a failed run belongs to no line.
fitted_order fit_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor);

// The least number of errors that show an order: a line has two unknowns, and three more points tell how well it fits.
constexpr int fewest_points = 5;
// An interval of at most half an order on either side holds a single whole number.
constexpr double widest_doubt = .5;

// The order in the asymptotic range, where the leading term of the error dominates. The range begins with the five
// shortest steps whose errors are above ten times `floor`. These have to lie on a straight line: their local slopes
// may not change by more than a tenth of an order, unless scatter explains it. A longer step belongs to the range
// if its error lies where the shorter ones predict it. There is no order if the errors are too few, if they bend, if
// the confidence interval is wider than `widest_doubt` on a side, or if an error or the floor is not a number.
fitted_order fit_asymptotic_order(const std::vector<double>& steps, const std::vector<double>& errors,
                                  double floor);

// Whether the whole confidence interval of an order lies within `slack` of the expected one.
bool is_of_order(const fitted_order& fit, double expected, double slack);

}  // namespace reprise::checkers
