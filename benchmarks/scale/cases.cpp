// SPDX-License-Identifier: MIT
// Steps of a sphere of atrial cells on several ranks. The variant is verified on a small sphere on the same
// ranks. On the timed sphere its answer is compared with that of a single rank.
#include "benchmarks/scale/cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "benchmarks/scale/on_ranks.hpp"
#include "solvers/atrium/variant.hpp"
#include "verification/atrium/check.hpp"
#include "verification/atrium/timed_run.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::harness::scale {
namespace {

namespace check = verification::atrium;
using atrium::control;
using atrium::gate_rule;
using atrium::problem;
using atrium::progress;
using atrium::solver;

constexpr double adaptive_end = 6;  // ms; the stimulus begins at 1 ms

// Keeps the last problem, because a fine sphere is expensive to make.
std::shared_ptr<const problem> sphere_of(int subdivisions) {
  static std::pair<int, std::shared_ptr<const problem>> kept{-1, nullptr};
  if (kept.first != subdivisions) {
    kept = {-1, nullptr};  // frees the old sphere first
    problem p = atrium::sphere_problem(subdivisions);
    p.recorded.clear();
    kept = {subdivisions, std::make_shared<const problem>(std::move(p))};
  }
  return kept.second;
}

control control_of(const stepping& marching) {
  if (!marching.is_adaptive()) return fixed_steps(marching.method, gate_rule::rush_larsen, marching.dt);
  return adaptive_steps(marching.method, gate_rule::rush_larsen, marching.at, marching.rt, adaptive_end);
}

double end_of(const stepping& marching) {
  return marching.is_adaptive() ? adaptive_end : steps_timed * marching.dt;
}

std::string parameter_of(const stepping& marching) {
  const std::string method = fmt::format("method={}", to_string(marching.method));
  return method + (marching.is_adaptive() ? fmt::format(";at={:g};rt={:g}", marching.at, marching.rt)
                                          : fmt::format(";dt={:g}", marching.dt));
}

double attempts_of(const progress& s) {
  return static_cast<double>(s.accepted + s.rejected);
}

// Solves one sphere for on_ranks.
struct sphere_stepper {
  using solver = atrium::solver;
  // Adaptive runs are compared only by their number of steps, which the largest error of all cells decides.
  struct answer {
    progress end;
    std::vector<double> voltage;
  };

  std::shared_ptr<const problem> subject;
  stepping marching;
  precision arithmetic;
  progress last{};
  progress whole_run{};  // at the end of the last run with adaptive steps
  double step_seconds{};

  // The variant that gives one rank's answer: a part that is kept on chip may not fit where the whole sphere is one.
  static const variant_of<solver>& judge_of(const variant_of<solver>& own) {
    if (!is_on_chip(own.id)) return own;
    for (const auto& v : variants())
      if (v->id == "atrium/cuda_multi" && v->runs_on == own.runs_on)
        return dynamic_cast<const variant_of<solver>&>(*v);
    return own;
  }

  std::string name() const {
    return fmt::format("{} {} {}", to_string(arithmetic), parameter_of(marching), subject->cells());
  }
  double cells() const { return static_cast<double>(subject->cells()); }
  double evaluations() const {
    return marching.is_adaptive() ? static_cast<double>(whole_run.evaluations) : steps_timed;
  }
  reasons told() const {
    return {marching.is_adaptive() ? "of those tried" : "", "all ranks'",
            "of a step, the longest of any rank, by marks in 64 more steps",
            "; from packing borders to their arrival", "; with nothing of the interior to compute"};
  }

  void start(solver& s) {
    s.reset(control_of(marching));
    last = check::start_of(*subject, control_of(marching)).at;
  }

  // Continues from the solver's current time.
  double advance(solver& s, int steps) {
    const double step = marching.is_adaptive() ? last.wanted : marching.dt;
    return advance_to(s, last.t + steps * (step > 0 ? step : control_of(marching).dt));
  }
  double advance_to(solver& s, double t) {
    return clocked(s, [&] { last = s.advance(t); });
  }
  void was_advanced(int steps) { last.t += steps * marching.dt; }

  double run(solver& s, int repeats) {
    if (!marching.is_adaptive()) return advance(s, repeats);
    start(s);
    const double seconds = advance_to(s, adaptive_end);
    step_seconds = seconds / attempts_of(last);
    whole_run = last;
    return seconds;
  }

  double seconds_of_step(solver& s) {
    if (!marching.is_adaptive()) return median_of_three([&] { return timed_steps(s); }) / steps_timed;
    start(s);
    last = s.advance(1);
    return step_seconds;
  }
  double timed_steps(solver& s) { return advance(s, steps_timed); }
  // Wrong answers without exchange would change adaptive steps.
  bool takes_same_steps_alone() const { return !marching.is_adaptive(); }

  void add_counts(std::vector<found>& all) const {
    if (!marching.is_adaptive()) return;
    all.push_back({"accepted_steps", static_cast<double>(whole_run.accepted), "1"});
    all.push_back({"rejected_steps", static_cast<double>(whole_run.rejected), "1"});
  }

  std::vector<checkers::finding> on_small_problem(solver& s, int) const {
    return check::verify(s, 3, marching.method, gate_rule::rush_larsen, arithmetic);
  }

  using moment = check::between_steps;
  moment here(solver& s) const { return {last, s.state()}; }
  std::vector<checkers::finding> judge_step(const moment& before, const moment& after) const {
    return check::judge_attempts({before, after}, *subject, arithmetic, check::timed_metrics);
  }
  std::vector<checkers::finding> judge_timed_work(solver& s, int repeats) {
    return marching.is_adaptive() ? judge_adaptive_run(s) : judge_steps(*this, s, repeats);
  }

  std::vector<checkers::finding> judge_adaptive_run(solver& s) {
    const auto run = check::watch(s, *subject, control_of(marching), adaptive_end, name(),
                                  [&](double t_end) { return s.advance(t_end); });
    last = run.end.at;
    return check::judge(run, *subject, arithmetic);
  }

  answer answer_of(solver& s) const {
    s.reset(control_of(marching));
    answer a{s.advance(end_of(marching)), {}};
    const std::string failure = check::failure_of(*subject, a.end);
    if (!failure.empty()) throw std::runtime_error(failure);
    if (marching.is_adaptive()) return a;
    for (const atrium::cell_state& y : s.state()) a.voltage.push_back(y[atrium::at_v]);
    return a;
  }

  std::vector<checkers::finding> differences(const answer& mine, const answer& one) {
    last = mine.end;
    if (marching.is_adaptive()) {
      const double share = std::abs(attempts_of(mine.end) / attempts_of(one.end) - 1);
      return {{"steps_apart_from_one_rank", share, .01,
               "all ranks decide by the largest error of any, as one alone does"}};
    }
    return {{"voltage_apart_from_one_rank", checkers::largest_distance(mine.voltage, one.voltage),
             arithmetic == precision::single ? .05 : 1e-8,
             "mV: ranks compute what one computes; an upstroke magnifies rounding a thousand times"}};
  }
};

}  // namespace

bool is_on_chip(std::string_view variant) {
  return variant == "atrium/cuda_tuned_multi";
}

case_plan plan_sphere(const std::string& variant, const stepping& marching, precision arithmetic,
                      int subdivisions, int ranks) {
  const double cells = atrium::cells_of(subdivisions);
  case_plan plan =
      plan_on_ranks(variant, arithmetic, fmt::format("{:.0f}", cells), parameter_of(marching), ranks);
  if (marching.is_adaptive()) {
    plan.metric = "time_solve";
    plan.repeats = 1;
    plan.runs_once = true;
  }
  plan.units_per_repeat = cells;
  plan.footprint_bytes = static_cast<std::size_t>(cells / ranks * 2 * atrium::variables *
                                                  (arithmetic == precision::single ? 4 : 8));
  plan.make = [=](const reprise::variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<on_ranks<sphere_stepper>>(
        dynamic_cast<const variant_of<solver>&>(v), d, plan, ranks,
        sphere_stepper{sphere_of(subdivisions), marching, arithmetic});
  };
  return plan;
}

}  // namespace reprise::harness::scale
