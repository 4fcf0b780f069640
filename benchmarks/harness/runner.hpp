// SPDX-License-Identifier: MIT
// Runs experiments into a run folder: plans cases, measures those that are missing, derives and appends rows.
#pragma once

#include <iosfwd>

#include "benchmarks/harness/progress.hpp"
#include "benchmarks/harness/run_request.hpp"
#include "benchmarks/harness/steps.hpp"

namespace reprise::harness {

// The steps of a request. Throws bad_input if there is none.
std::vector<step> steps_of(const run_request& request);

// Throws bad_input if a glob matches no experiment.
run_outcome run_experiments(const run_request& request, progress& shown);
// The same with one line for each case.
run_outcome run_experiments(const run_request& request, std::ostream& out);

}  // namespace reprise::harness
