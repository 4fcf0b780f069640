// SPDX-License-Identifier: MIT
// The part of a gate that no timed case covers: is each paper's problem still the one that the reference states?
#pragma once

#include <string>

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness {

constexpr auto problem_experiment = "harness/problem";

// One row about the family: `reprise verify` of its first variant that runs on the processor, if the glob includes the
// processor. It has the status failed and the first wrong problem as its reason if one is wrong.
reports::row problem_row(const std::string& run, const family& of, const std::string& device_glob);

}  // namespace reprise::harness
