// SPDX-License-Identifier: MIT
// Runs experiments into a run folder: plans cases, measures those that are missing, derives and appends rows.
#pragma once

#include <iosfwd>

#include "benchmarks/harness/run_request.hpp"

namespace reprise::harness {

struct run_outcome {
  int measured{};
  int skipped{};
  int failed{};
};

// Prints one line for each case. Throws bad_input if a glob matches no experiment.
run_outcome run_experiments(const run_request& request, std::ostream& out);

}  // namespace reprise::harness
