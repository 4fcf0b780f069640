// SPDX-License-Identifier: MIT
// One case of the atrium paper: a run over the simulated time, or the search for the largest stable step, as
// the harness loads, checks and times it.
#pragma once

#include <string>

#include "benchmarks/atrium/sphere.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::atrium_cases {

inline const std::string time_metric = "time_solve";

// How a run advances in time.
struct task {
  atrium::scheme method{};
  atrium::gate_rule gates{atrium::gate_rule::rush_larsen};
  bool is_adaptive{};
  double dt{};          // length of fixed steps in ms
  double at{};          // absolute tolerance of adaptive steps
  double rt{};          // relative tolerance of adaptive steps
  bool may_stagnate{};  // stagnation is an expected result, not a failure
  reference_kind against{};
  bool draws{};        // record four cells' voltages over time (Fig 1)
  bool draws_front{};  // record the voltage of the last activated cell and its error (Fig 2)
};
task fixed_task(atrium::scheme method, double dt);
task adaptive_task(atrium::scheme method, double at, double rt);
// The task may stagnate.
task black_box_task(double at, double rt);

// The number of subdivisions is the request's or the preset's: 2 for smoke, 4 for quick, 7 (as in the paper)
// for paper and also for quick if a GPU runs the variant. Throws bad_input for settings that are out of
// range.
scenario scenario_of(const plan_request& request, bool on_gpu);
// Whether this machine has a GPU that runs the variant.
bool has_gpu(const std::string& variant);
// Whether the variant implements these steps.
bool can_step(const std::string& variant, const task& t, precision arithmetic);

case_plan plan_solve(const std::string& variant, const task& t, precision arithmetic, const scenario& chosen);
// Searches for the largest step, within one per cent, with which a run reaches its end time.
case_plan plan_search(const std::string& variant, atrium::scheme method, atrium::gate_rule gates,
                      precision arithmetic, const scenario& chosen);

}  // namespace reprise::harness::atrium_cases
