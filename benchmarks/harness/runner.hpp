// SPDX-License-Identifier: MIT
// Runs experiments into a run folder: plans, measures what is not there yet, derives, appends.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness {

struct run_request {
  std::vector<std::string> experiments{"*"};  // shell globs
  plan_request plan;
  std::string device_glob{"*"};
  std::filesystem::path out;
  bool resume{};  // finish the run in `out`, with the experiments, preset, sizes and devices it was started
                  // with
  std::vector<std::string> engine_flags;  // Google Benchmark's
  std::string command;                    // as typed, for run.json
};

// Adds to a request's settings those of a file of parameters, which all of its experiments must take. Throws
// bad_input where one does not, for a setting that is there already, and for what the file has wrong.
void add_parameters(run_request& request, const std::filesystem::path& file);

struct run_outcome {
  int measured{};
  int skipped{};
  int failed{};
};

// Prints one line for each case. Throws bad_input where nothing matches.
run_outcome run_experiments(const run_request& request, std::ostream& out);

struct verify_request {
  std::vector<std::string> variants{"*"};  // shell globs
  std::vector<grid_size> sizes;
  std::string device_glob{"*"};
};

// Prints one line for each variant and device, and each wrong answer. CUDA variants without a device are
// checked in emulation.
run_outcome verify_variants(const verify_request& request, std::ostream& out);

}  // namespace reprise::harness
