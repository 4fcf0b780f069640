// SPDX-License-Identifier: MIT
// One case of one problem on several ranks, as the harness loads, checks and times it.
#pragma once

#include <string>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::scale {

// The time stepping: forward Euler with steps of fixed length, or Bogacki-Shampine with adaptive steps.
struct stepping {
  atrium::scheme method{};
  double dt{};        // length of fixed steps in ms; 0: adaptive
  double at{}, rt{};  // absolute and relative tolerance of adaptive steps

  bool is_adaptive() const { return dt == 0; }
};

// Uses the first `ranks` of the started ranks.
case_plan plan_sphere(const std::string& variant, const stepping& how, precision arithmetic, int subdivisions,
                      int ranks);

}  // namespace reprise::harness::scale
