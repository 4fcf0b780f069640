// SPDX-License-Identifier: MIT
// One case of the curvature paper: a whole solve, or a kernel alone, as the harness loads, checks and times
// it.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/curvature/problem.hpp"

namespace reprise::harness::curvature_cases {

inline const std::string time_metric = "time_solve";
inline const std::string kernel_metric = "time_200_launches";

// The paper's row "16^2" has 15 cells a side; its other rows have as many as they say.
constexpr int cells_of(int label) {
  return label == 16 ? 15 : label;
}

constexpr double usual_eps = 5e-7;

// What one solve is: the problem, its arithmetic and the times at which the surface is looked at.
struct task {
  curvature::flow what{};
  curvature::setting how{curvature::setting::manufactured};
  precision arithmetic{precision::double_};
  std::vector<double> times;  // of samples, the first after zero
  bool draws{};
  double eps{usual_eps};
};

// Tables 2 to 7: to T = 0.1 in 20 intervals, against the exact solution.
task table_task(curvature::flow what, precision arithmetic);
// Figs 1 and 2 at their times; the runs of Table 8 end with them.
task evolution_task(curvature::flow what, precision arithmetic, bool draws);
// With what the request changes.
task with_settings(task t, const plan_request& request);

case_plan plan_solve(const std::string& variant, const task& t, grid_size size);
// One of cuda_merson's kernels.
case_plan plan_kernel(const std::string& name, curvature::flow what, grid_size size);

}  // namespace reprise::harness::curvature_cases
