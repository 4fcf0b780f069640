// SPDX-License-Identifier: MIT
// Adds up predicted costs by family and class of device, because each group has its own correction.
#include "benchmarks/harness/budget/forecast.hpp"

#include <algorithm>

namespace reprise::budget {

forecast::forecast(estimator costs, std::span<const harness::step> steps) : costs_(std::move(costs)) {
  for (const harness::step& s : steps)
    if (s.weight > 0)
      left_[group_of(s)] += costs_.uncorrected(s);
    else
      ++light_left_;
}

void forecast::finish(const harness::step& s, double seconds) {
  if (s.weight > 0) {
    left_[group_of(s)] -= costs_.uncorrected(s);
    costs_.learn(s, seconds);
  } else {
    --light_left_;
    ++light_done_;
    light_seconds_ += seconds;
  }
}

double forecast::seconds_left() const {
  double sum = 0;
  for (const auto& [group, seconds] : left_) sum += costs_.correction(group) * std::max(0., seconds);
  if (light_done_ == 0) return sum;
  return sum + light_seconds_ / static_cast<double>(light_done_) * static_cast<double>(light_left_);
}

}  // namespace reprise::budget
