// SPDX-License-Identifier: MIT
// Compares integrators at equal measured error. The time needed for an error is interpolated between
// work-precision points, linearly on logarithmic axes, and never extrapolated.
#pragma once

#include <string>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::reports {

struct work_point {
  double error{};
  double seconds{};
};

struct reading {
  double seconds{no_value};
  std::string reason{};  // why there is no time; otherwise the points used
};

// Points that another point beats in both error and time, such as those at the rounding floor, are ignored.
reading time_at_error(std::vector<work_point> points, double error);

// The same, but an error larger than all measured ones is met by the fastest run, which must have the longest stable
// step: a longer one would save time and have no solution.
reading time_within_error(std::vector<work_point> points, double error);

}  // namespace reprise::reports
