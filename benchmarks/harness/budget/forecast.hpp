// SPDX-License-Identifier: MIT
// How long the rest of a run without a budget takes, judging by what has run so far.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

#include "benchmarks/harness/budget/costs.hpp"

namespace reprise::budget {

class forecast {
 public:
  // All steps are still to come. One without weight is only written: it is skipped, or another case serves for it.
  forecast(estimator costs, std::span<const harness::step> steps);

  void finish(const harness::step& s, double seconds);

  double seconds_left() const;

 private:
  estimator costs_;
  std::map<std::string, double> left_;  // uncorrected seconds by group
  std::size_t light_left_{}, light_done_{};
  double light_seconds_{};
};

}  // namespace reprise::budget
