// SPDX-License-Identifier: MIT
// Integrators are compared at equal measured error: the time that one needs for an error is read off its
// work-precision points, straight lines between them on logarithmic axes, and never beyond them.
#pragma once

#include <string>
#include <vector>

#include "reports/row.hpp"

namespace reprise::reports {

struct work_point {
  double error{};
  double seconds{};
};

struct reading {
  double seconds{no_value};
  std::string reason{};  // why there is none; else between which points it was read
};

// A point that another one beats in error and in time says nothing of what an error costs, as beyond the
// floor that rounding sets, and is left out.
reading time_at_error(std::vector<work_point> points, double error);

}  // namespace reprise::reports
