// SPDX-License-Identifier: MIT
// One case of the angiogenesis paper that runs time steps with one solver: how the harness loads, checks and
// times it, and what its result is compared with.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/angiogenesis/variant.hpp"

namespace reprise::harness::angiogenesis_cases {

inline const std::string run_metric = "time_run";

// The model's parameters and the time step. `told` lists those that the request changed, in the form in which
// they are appended to a row's parameter: ";dt=0.01;k1=0.2".
struct choice {
  angiogenesis::parameters parameters;
  double dt{};
  std::string told;
};
choice choice_of(const plan_request& request);
std::vector<std::string> setting_names();

// What a run measures besides its time.
// - difference: from the paper's CPU code, step for step, and the change of mass (Table 5, Fig 3)
// - solve_share: the share of a step that the linear solve takes (section 3.1)
// - error_in_time: from the semi-discrete solution
// - error_in_space: from the manufactured solution
// - error_of_halving: from the same run on a grid of half the spacing, with the paper's parameters
enum class question { difference, solve_share, error_in_time, error_in_space, error_of_halving };

struct task {
  angiogenesis_cases::question question{};
  angiogenesis::taxis reading{};
  angiogenesis::factoring when{angiogenesis::factoring::once};
  int steps{};
};

// Whether the variant takes no full matrix. Decided by the name, because the variant may not be built.
bool is_by_structure(const std::string& variant);

// `nodes` is the grid's M. `parameter` holds those properties of the task that distinguish its rows.
case_plan plan_run(const std::string& variant, const task& t, const choice& chosen, int nodes,
                   const std::string& parameter);

}  // namespace reprise::harness::angiogenesis_cases
