// SPDX-License-Identifier: MIT
// One case of one problem on several ranks, as the harness loads, checks and times it.
#pragma once

#include <string>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::scale {

// How the right atrium steps: forward Euler in steps of one length, or Bogacki-Shampine with its own.
struct stepping {
  atrium::scheme method{};
  double dt{};        // of fixed steps; 0: adaptive
  double at{}, rt{};  // tolerances

  bool is_adaptive() const { return dt == 0; }
};

// On the first `ranks` of those that were started.
case_plan plan_sphere(const std::string& variant, const stepping& how, precision arithmetic, int subdivisions,
                      int ranks);

}  // namespace reprise::harness::scale
