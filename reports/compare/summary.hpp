// SPDX-License-Identifier: MIT
// A comparison on one screen: for each paper the best variant of each device on one case, how many times as fast one
// device is as another over all cases that both have, and where the devices disagree about the paper's conclusions.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reports/compare/comparison.hpp"
#include "reports/store/main_cases.hpp"

namespace reprise::reports {

// The variant that is fastest on a device in a paper's case.
struct best_variant {
  std::size_t column{};
  shared_text variant;
  compared_cell cell;  // its time in seconds, its share of the roof that binds, and solves per joule
};

struct paper_summary {
  std::string word;
  std::string title;  // of the case below
  std::vector<best_variant> best;
  std::vector<std::size_t> without;  // columns with times of the paper, but none of the case
  std::vector<relative_speed> speeds;
  std::map<std::size_t, std::map<verdict, std::size_t>> verdicts;  // of the conclusions, by column
  std::vector<const compared_claim*> disputed;                     // whose verdicts differ between devices
};

// The papers that at least two of the compared items have times of. `times` has a table of each paper, as compare_times
// makes it. `claims` must outlive the result.
std::vector<paper_summary> summarise(std::span<const compared_table> times,
                                     std::span<const device_column> columns,
                                     std::span<const compared_claim> claims,
                                     std::span<const main_case> main_cases);

// Fits a terminal of 80 characters.
std::string to_text(std::span<const paper_summary> papers, std::span<const device_column> columns);

}  // namespace reprise::reports
