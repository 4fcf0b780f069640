// SPDX-License-Identifier: MIT
// One case of the tissue paper: timed steps, a run whose error is measured, a spiral that is drawn, or a
// search for the largest stable step, as the harness loads, checks and runs it.
#pragma once

#include <string>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/tissue/task.hpp"

namespace reprise::harness::tissue_cases {

inline const std::string steps_metric = "time_1000_steps";
inline const std::string solve_metric = "time_solve";

case_plan plan_steps(const std::string& name, const task& t, grid_size size, const std::string& parameter);
case_plan plan_solve(const std::string& name, const task& t, grid_size size, const std::string& parameter);
case_plan plan_spiral(const std::string& name, tissue::model m, grid_size size, precision arithmetic);
case_plan plan_search(const std::string& name, const task& t, grid_size size);

}  // namespace reprise::harness::tissue_cases
