// SPDX-License-Identifier: MIT
// One case of the curvature paper: a whole solve or a single kernel, as the
// harness loads, checks and times it.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/curvature/problem.hpp"

namespace reprise::harness::curvature_cases {

inline const std::string time_metric = "time_solve";
inline const std::string kernel_metric = "time_200_launches";

// The paper's row "16^2" has 15 cells per side; in its other rows the label is the number of cells.
constexpr int cells_of(int label) {
  return label == 16 ? 15 : label;
}

constexpr double usual_eps = 5e-7;

// One solve: the problem, its precision and the times at which the surface is examined.
struct task {
  curvature::flow flow{};
  curvature::boundary boundary{curvature::boundary::manufactured};
  precision arithmetic{precision::double_};
  std::vector<double> times;  // sample times, all positive
  bool draws{};
  double eps{usual_eps};
};

// Tables 2 to 7: a run to T = 0.1 in 20 intervals, compared with the exact solution.
task table_task(curvature::flow motion, precision arithmetic);
// Figs 1 and 2 at their times. The runs of Table 8 use the same times.
task evolution_task(curvature::flow motion, precision arithmetic, bool draws);
// Applies the request's settings.
task with_settings(task t, const plan_request& request);

case_plan plan_solve(const std::string& variant, const task& t, grid_size size);
// Times one of cuda_merson's kernels.
case_plan plan_kernel(const std::string& name, curvature::flow motion, grid_size size);

}  // namespace reprise::harness::curvature_cases
