// SPDX-License-Identifier: MIT
// One case of the angiogenesis paper beside its runs: a solve of the step's system with its time in parts, a
// kernel alone, or a study of parameters, as the harness loads, checks and times it.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/angiogenesis_cases.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "reports/row.hpp"
#include "solvers/angiogenesis/variant.hpp"

namespace reprise::harness::angiogenesis_cases {

inline const std::string solve_metric = "time_solve";
inline const std::string kernel_metric = "time_200_launches";
inline const std::string study_metric = "time_study";

// "factor=every_solve", and ";kernels=watched" where each kernel's own time is told from the host's wait.
std::string solve_parameter(angiogenesis::factoring when, bool is_watched = false);

case_plan plan_solve(const std::string& variant, const choice& chosen, int nodes,
                     angiogenesis::factoring when, bool is_watched);
// One of cuda_elimination's kernels, on the first column.
case_plan plan_kernel(const std::string& kernel, const choice& chosen, int nodes);
// Sets around the chosen one.
case_plan plan_study(const std::string& variant, const choice& chosen, int nodes, int members, int steps);

// Rows computed from those of solves.
std::vector<reports::row> speedups(std::span<const reports::row> rows);      // and spreads: Table 2
std::vector<reports::row> exponents(std::span<const reports::row> rows);     // and Amdahl's numbers: Fig 2
std::vector<reports::row> split(std::span<const reports::row> rows);         // Table 4
std::vector<reports::row> kernel_rates(std::span<const reports::row> rows);  // Table 3

}  // namespace reprise::harness::angiogenesis_cases
