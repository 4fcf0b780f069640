// SPDX-License-Identifier: MIT
// What a run is asked for.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
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
  double budget_seconds{};          // measure what a plan for this time holds; 0: all cases
  std::filesystem::path plan_of{};  // measure the cases of this run's plan; empty: no such run
  std::filesystem::path home{};     // the program's data: costs of cases, and claims
  bool resume{};  // finish the run in `out` with its original experiments, preset, sizes and devices
  std::vector<std::string> engine_flags;  // flags of Google Benchmark
  std::string command;                    // as typed, for run.json
};

// The experiments that match a glob, each once. Throws bad_input if a glob matches none.
std::vector<const experiment*> selected(const std::vector<std::string>& globs);

// The families of the requested experiments, each once.
std::vector<const family*> families_of(const run_request& request);

// Parses sizes from the command line into a request. Throws bad_input if the family of one of the request's
// experiments does not accept one of them.
void add_sizes(run_request& request, const std::vector<std::string>& typed);

// Adds the settings in a parameter file to a request. Throws bad_input if one of the request's experiments
// takes no such file, if a setting is given already, and for errors in the file.
void add_parameters(run_request& request, const std::filesystem::path& file);

// The request as run.json keeps it.
nlohmann::json to_json(const run_request& request);

// Restores the request of an interrupted run from its description. Throws bad_input if it holds none.
void restore(run_request& request, const nlohmann::json& description);

}  // namespace reprise::harness
