// SPDX-License-Identifier: MIT
// Runs experiments into a run folder: plans cases, measures those that are missing, derives and appends rows.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness {

// Which of the planned cases are run. Shell globs.
struct case_choice {
  std::vector<std::string> variants{};    // ids or names within a paper; empty: all
  std::vector<std::string> parameters{};  // as in rows: "matrix=neumann"; empty: all
  std::string precision{"*"};

  bool operator==(const case_choice&) const = default;
};

struct run_request {
  std::vector<std::string> experiments{"*"};  // shell globs
  plan_request plan;
  case_choice choice;
  std::string device_glob{"*"};
  std::filesystem::path out;
  bool resume{};  // finish the run in `out` with its original experiments, preset, sizes and devices
  std::vector<std::string> engine_flags;  // flags of Google Benchmark
  std::string command;                    // as typed, for run.json
};

// Parses sizes from the command line into a request. Throws bad_input if the family of one of the request's
// experiments does not accept one of them.
void add_sizes(run_request& request, const std::vector<std::string>& typed);

// Adds the settings in a parameter file to a request. Throws bad_input if one of the request's experiments
// takes no such file, if a setting is given already, and for errors in the file.
void add_parameters(run_request& request, const std::filesystem::path& file);

struct run_outcome {
  int measured{};
  int skipped{};
  int failed{};
};

// Prints one line for each case. Throws bad_input if a glob matches no experiment.
run_outcome run_experiments(const run_request& request, std::ostream& out);

}  // namespace reprise::harness
