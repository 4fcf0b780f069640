// SPDX-License-Identifier: MIT
// One case of the tissue paper: timed steps, a run whose error is measured, a spiral that is drawn, or a
// search for the largest stable step, as the harness loads, checks and runs it.
#pragma once

#include <string>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::harness::tissue_cases {

inline const std::string steps_metric = "time_1000_steps";
inline const std::string solve_metric = "time_solve";

// - hill: at rest except for a hill of u; crosses every switch
// - lifted: all cells above every switch, where the right-hand side has no kink
enum class start { hill, lifted };

// What is integrated, and how. A spacing of zero means the model's usual one.
struct task {
  tissue::model model{};
  tissue::method method{};
  double dt{};
  double dx{};
  start from{start::hill};
  tissue::switch_form form{tissue::switch_form::cubic};
  bool replaces_tanh{};
  bool multiplies_powers{true};
  int vector_width{};
};

tissue::problem problem_of(const task& t, grid_size size);

// End time of the runs whose error is measured: long enough to cross every switch, short
// enough for an accurate reference.
double end_of(tissue::model m);

// "model=karma;method=heun", to which a case appends its other properties.
std::string name_of(const task& t);

case_plan plan_steps(const std::string& name, const task& t, grid_size size, const std::string& parameter);
case_plan plan_solve(const std::string& name, const task& t, grid_size size, const std::string& parameter);
case_plan plan_spiral(const std::string& name, tissue::model m, grid_size size);
case_plan plan_search(const std::string& name, const task& t, grid_size size);

}  // namespace reprise::harness::tissue_cases
