// SPDX-License-Identifier: MIT
// The result of a checker: a measured quantity, its limit, and the reason for the limit.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace reprise::checkers {

struct finding {
  std::string metric;
  double value{};
  double limit{};
  std::string reason;

  // Neither a value nor a limit that is NaN or infinite is good.
  bool good() const { return std::isfinite(value) && std::isfinite(limit) && value <= limit; }
};

inline bool all_good(const std::vector<finding>& findings) {
  return !findings.empty() &&
         std::all_of(findings.begin(), findings.end(), [](const finding& f) { return f.good(); });
}

// The first finding that is not good or, if all are, the one nearest to its limit. Of none a finding that is
// not good.
finding worst_of(const std::vector<finding>& findings);

inline void append(std::vector<finding>& all, const std::vector<finding>& found) {
  all.insert(all.end(), found.begin(), found.end());
}

// One finding of each metric, in order of appearance.
std::vector<finding> worst_of_each(const std::vector<finding>& all);

// "max_relative_error 3.1e-07 (limit 2e-06)"
std::string describe(const finding& f);

}  // namespace reprise::checkers
