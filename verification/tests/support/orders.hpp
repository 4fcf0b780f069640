// SPDX-License-Identifier: MIT
// Fits orders of convergence to the errors of runs with several steps.
#pragma once

#include <numeric>
#include <utility>
#include <vector>

#include "verification/checkers/order_fit.hpp"

namespace reprise::testing {

// 0, 1, 2 ...: how often a step is halved.
inline std::vector<int> halvings(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// The order in which errors fall with steps; measure(n) gives the step and the error for each of the counts.
template <class Measure>
checkers::fitted_order order_of(const std::vector<int>& counts, double rounding, Measure measure) {
  std::vector<double> steps, errors;
  for (const int n : counts) {
    const std::pair<double, double> found = measure(n);
    steps.push_back(found.first);
    errors.push_back(found.second);
  }
  return checkers::fit_order(steps, errors, rounding);
}

}  // namespace reprise::testing
