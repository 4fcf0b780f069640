// SPDX-License-Identifier: MIT
// `reprise baseline`: records how accurate a run's answers are, and reports when a
// later run's are less accurate.
#pragma once

#include <filesystem>
#include <iosfwd>

#include "benchmarks/commands/outcome.hpp"

namespace reprise::benchmarks {

struct baseline_request {
  std::filesystem::path file;   // the baseline
  std::filesystem::path run;    // a run's folder
  std::filesystem::path junit;  // empty: no JUnit file is written
};

void save_baseline(const baseline_request& request, std::ostream& out);

// Returns good if no case regressed: each is held, better, or could not run here. Otherwise wrong.
outcome check_baseline(const baseline_request& request, std::ostream& out);

}  // namespace reprise::benchmarks
