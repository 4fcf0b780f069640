// SPDX-License-Identifier: MIT
// One case of one problem on several ranks, as the harness loads, checks and times it.
#pragma once

#include <string>
#include <string_view>

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

// Whether a variant has each part on chip. Then four of today's GPUs hold eight subdivisions, and one holds seven; steps
// are fixed, in single precision.
bool is_on_chip(std::string_view variant);

// Uses the first `ranks` of the started ranks.
case_plan plan_sphere(const std::string& variant, const stepping& how, precision arithmetic, int subdivisions,
                      int ranks);

}  // namespace reprise::harness::scale
