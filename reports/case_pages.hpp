// SPDX-License-Identifier: MIT
// A small page for each measured case: its rows, and the raw samples behind them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "reports/run_folder.hpp"

namespace reprise::reports {

// Where a row's case has its page, from the report's folder.
using case_links = std::map<const row*, std::string>;

struct case_page {
  std::string path;  // "rows/RUN/cases/12.html"
  std::string text;
};

struct case_pages {
  std::vector<case_page> pages;
  case_links links;  // for every row with a number
};

// `folders` are the runs' folders below OUT/rows, one for each run. The links point into the runs.
case_pages make_case_pages(std::span<const run> runs, const std::vector<std::string>& folders);

}  // namespace reprise::reports
