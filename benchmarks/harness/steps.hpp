// SPDX-License-Identifier: MIT
// The steps of a run: its cases on the devices that they run on.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/run_request.hpp"

namespace reprise::harness {

struct step {
  const experiment* of{};
  case_plan plan;
  target on;
  double weight{};  // rough estimate of its seconds, for cases whose cost nobody recorded
};

// The steps of all experiments, in their order. Throws bad_input for a setting that an experiment does not have, and if no
// case is left.
std::vector<step> plan_steps(const std::vector<const experiment*>& experiments, const run_request& request);

// Seconds for sampling and checking a small case.
double base_seconds(preset level);

// "jacobi/table1 cuda_2d@512x1024 cuda:0"
std::string label_of(const step& s);

}  // namespace reprise::harness
