// SPDX-License-Identifier: MIT
// The angiogenesis paper's other cases: a single solve of the step's system with its time split into parts, a
// single kernel, or a parameter study.
#pragma once

#include <string>

#include "benchmarks/angiogenesis/cases.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "solvers/angiogenesis/variant.hpp"

namespace reprise::harness::angiogenesis_cases {

inline const std::string solve_metric = "time_solve";
inline const std::string kernel_metric = "time_200_launches";
inline const std::string study_metric = "time_study";

// Where the right-hand sides and answers of timed solves are.
enum class vectors { on_host, on_device };

struct solve_task {
  angiogenesis::factoring when{};
  bool is_watched{};  // kernels' times are measured with events, separately from the host's wait
  vectors where{};
};

// "factor=every_solve", with ";kernels=watched" or ";vectors=device" appended.
std::string solve_parameter(const solve_task& t);

case_plan plan_solve(const std::string& variant, const choice& chosen, int nodes, const solve_task& t);
// Times one of cuda_elimination's kernels, launched for the first column.
case_plan plan_kernel(const std::string& kernel, const choice& chosen, int nodes);
// The study's members have parameter sets around the chosen one.
case_plan plan_study(const std::string& variant, const choice& chosen, int nodes, int members, int steps);

}  // namespace reprise::harness::angiogenesis_cases
