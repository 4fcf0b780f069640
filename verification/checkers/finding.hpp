// SPDX-License-Identifier: MIT
// The result of a checker: a measured quantity, its limit, and the reason for the limit.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace reprise::checkers {

struct finding {
  std::string metric;
  double value{};
  double limit{};
  std::string reason;

  // A NaN is not good.
  bool good() const { return value <= limit; }
};

inline bool all_good(const std::vector<finding>& findings) {
  return !findings.empty() &&
         std::all_of(findings.begin(), findings.end(), [](const finding& f) { return f.good(); });
}

// "max_relative_error 3.1e-07 (limit 2e-06)"
std::string describe(const finding& f);

}  // namespace reprise::checkers
