// SPDX-License-Identifier: MIT
// One case of the angiogenesis paper: a run of time steps around one solver, as the harness loads, checks and
// times it, and what it is compared with.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/angiogenesis/variant.hpp"

namespace reprise::harness::angiogenesis_cases {

inline const std::string run_metric = "time_run";

// The model's parameters and step, and what of a request's differs from the usual ones, as a part of rows'
// parameters: ";dt=0.01;k1=0.2".
struct choice {
  angiogenesis::parameters with;
  double dt{};
  std::string told;
};
choice choice_of(const plan_request& request);
std::vector<std::string> setting_names();

// What is found of a run besides its time.
// difference     from the paper's CPU code, step for step, and what became of the mass: Table 5, Fig 3
// solve_share    how much of a step the linear solve takes: section 3.1
// error_in_time  from the semi-discrete solution
// error_in_space from the manufactured solution
enum class question { difference, solve_share, error_in_time, error_in_space };

struct task {
  question what{};
  angiogenesis::taxis reading{};
  angiogenesis::factoring when{angiogenesis::factoring::once};
  int steps{};
};

// `nodes` is the grid's M. The parameter names what of the task tells rows apart.
case_plan plan_run(const std::string& variant, const task& t, const choice& chosen, int nodes,
                   const std::string& parameter);

}  // namespace reprise::harness::angiogenesis_cases
