// SPDX-License-Identifier: MIT
// `reprise baseline`: keeps how right a run's answers are, and tells when a later run's are less so.
#pragma once

#include <filesystem>
#include <iosfwd>

namespace reprise::benchmarks {

struct baseline_request {
  std::filesystem::path file;   // the baseline
  std::filesystem::path run;    // a run's folder
  std::filesystem::path junit;  // empty: none is written
};

void save_baseline(const baseline_request& request, std::ostream& out);

// Returns whether everything is held, or better, or could not run here.
bool check_baseline(const baseline_request& request, std::ostream& out);

}  // namespace reprise::benchmarks
