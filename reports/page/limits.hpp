// SPDX-License-Identifier: MIT
// How near each paper's fastest variants come to the roof that binds them, on the work of the paper's main case.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/page/shown_rows.hpp"
#include "reports/store/main_cases.hpp"
#include "reports/store/run.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {

// 4280.3 "GB/s", 1001 "launches".
struct amount {
  double value{no_value};
  std::string unit;
};

// The fastest right case of one size on one board. Disturbed rows are not considered.
struct limit_line {
  std::string board{};
  const shown_row* time{};
  std::string roof{};                            // "memory", "caches", "launches"; if there is no share, why
  amount reached{};                              // what the board reached there in the same run
  double operations{no_value}, bytes{no_value};  // of the whole work
  amount other{};  // of the roof that binds, if it counts neither operations nor bytes of memory
  double least_seconds{no_value};  // that the count takes at the roof
  double percent{no_value};        // least_seconds over the time; never more than 100
};

struct paper_limits {
  std::string word;
  std::string work;               // "1000 sweeps in single precision"
  std::vector<limit_line> lines;  // by board and size; empty if the work was not run
};

// One for each main case, with the smallest, the middle and the largest size of each board. `rows` are those that shown_rows
// makes of the same runs, and have to outlive the result.
std::vector<paper_limits> limits_of(std::span<const main_case> cases, std::span<const shown_row> rows,
                                    std::span<const run> runs);

// The lines of one paper.
table table_of(const paper_limits& of);
// Those of all papers, which a column names. A paper without lines has one that says so.
table table_of(std::span<const paper_limits> all);

}  // namespace reprise::reports
