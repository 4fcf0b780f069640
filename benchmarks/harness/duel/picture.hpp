// SPDX-License-Identifier: MIT
// The ratios of a duel as a picture.
#pragma once

#include <string>
#include <vector>

#include "reports/compare/paired.hpp"

namespace reprise::duels {

struct shown_ratio {
  std::string name, verdict;
  reports::paired_estimate logarithm;  // of B's time over A's
};

// An SVG file: a line a case, its ratio with its interval, and bands for the margin.
std::string to_svg(const std::vector<shown_ratio>& ratios, double margin);

}  // namespace reprise::duels
