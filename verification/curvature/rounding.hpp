// SPDX-License-Identifier: MIT
// What the checks of curvature share: the unit of rounding, and the worst finding of each metric.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "solvers/common/base/registry.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::curvature {

inline double unit_roundoff(precision arithmetic) {
  return arithmetic == precision::single ? std::numeric_limits<float>::epsilon() / 2
                                         : std::numeric_limits<double>::epsilon() / 2;
}

// One finding of each metric, in order of appearance.
inline std::vector<checkers::finding> worst_of_each(const std::vector<checkers::finding>& all) {
  std::vector<checkers::finding> worst;
  for (const checkers::finding& f : all) {
    const auto known = std::ranges::find(worst, f.metric, &checkers::finding::metric);
    if (known == worst.end()) {
      worst.push_back(f);
    } else {
      *known = checkers::worst_of({*known, f});
    }
  }
  return worst;
}

}  // namespace reprise::verification::curvature
