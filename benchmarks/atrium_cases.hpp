// SPDX-License-Identifier: MIT
// One case of the atrium paper: a run over the simulated time, or the search for the largest stable step, as
// the harness loads, checks and times it.
#pragma once

#include <optional>
#include <string>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::atrium_cases {

inline const std::string time_metric = "time_solve";

// How one run steps.
struct task {
  atrium::scheme method{};
  atrium::gate_rule gates{atrium::gate_rule::rush_larsen};
  bool is_adaptive{};
  double dt{};  // of fixed steps
  double at{};  // tolerances of adaptive ones
  double rt{};
  bool may_stagnate{};  // which is then what was found, and no failure
  bool draws{};         // the voltages of four recorded cells over time
  bool draws_front{};   // that of the last to be activated while it is, and its distance to the reference's
};
task fixed_task(atrium::scheme method, double dt);
task adaptive_task(atrium::scheme method, double at, double rt);
// Which may stagnate.
task black_box_task(double at, double rt);

// A setting of the request, where it has it.
std::optional<double> asked(const plan_request& request, const std::string& name);

// On which sphere, for how long.
struct setting {
  int subdivisions{};
  bool is_short{};  // the first stimulus alone, of one half, over 30 ms
  std::optional<double> t_end{};
  std::optional<double> acetylcholine{};

  bool operator==(const setting&) const = default;
};
// The request's, or the preset's: 2 subdivisions for smoke, 4 for quick, 7, as in the paper, for paper, and
// also for quick where a GPU runs the variant. Throws bad_input for what cannot be.
setting setting_of(const plan_request& request, bool on_gpu);
// Whether there is a GPU that runs this variant.
bool has_gpu(const std::string& variant);
// Whether there are such steps in the variant.
bool can_step(const std::string& variant, const task& t, precision arithmetic);

case_plan plan_solve(const std::string& variant, const task& t, precision arithmetic, const setting& where);
// The largest step, to a percent, with which the run comes to its end.
case_plan plan_search(const std::string& variant, atrium::scheme method, atrium::gate_rule gates,
                      precision arithmetic, const setting& where);

}  // namespace reprise::harness::atrium_cases
