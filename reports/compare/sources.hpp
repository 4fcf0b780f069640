// SPDX-License-Identifier: MIT
// The items of a comparison: runs, and the rows that papers printed for their boards.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/compare/boards.hpp"
#include "reports/store/layout.hpp"
#include "reports/store/main_cases.hpp"
#include "reports/store/run.hpp"

namespace reprise::reports {

// A named item of a comparison: a run's folder; a recorded device, which may have several runs; or a paper's
// board, whose printed rows take the place of a run's.
struct compared {
  std::string name;
  bool is_paper{};
  std::vector<run> runs;
};

struct comparison_sources {
  std::filesystem::path recorded_dir;   // <device>/<run>
  std::filesystem::path published_dir;  // <word>.csv
  std::filesystem::path claims_dir;     // <word>.csv
  std::vector<family_layout> families;
  board_names boards{};
  std::vector<main_case> main_cases{};
};

// Throws bad_input, listing the valid names, if the name is none of these.
compared read_compared(const std::string& name, const comparison_sources& from);

}  // namespace reprise::reports
