// SPDX-License-Identifier: MIT
// Attempted steps of the mean-curvature flow on several ranks. The variant is verified on a small grid on the
// same ranks. On the timed grid its answer is compared with that of a single rank.
#include "benchmarks/scale/surfaces.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "benchmarks/scale/on_ranks.hpp"
#include "solvers/curvature/row_blocks.hpp"
#include "solvers/curvature/variant.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"
#include "verification/curvature/check.hpp"
#include "verification/curvature/trajectory.hpp"

namespace reprise::harness::scale {
namespace {

namespace check = verification::curvature;
using curvature::flow;
using curvature::merson;
using curvature::problem;
using curvature::solver;

// Keeps the last problem, because a large one is expensive to make.
std::shared_ptr<const problem> problem_of(grid_size cells) {
  static std::shared_ptr<const problem> kept;
  if (kept == nullptr || kept->cells_x != cells.width || kept->cells_y != cells.height) {
    kept.reset();  // frees the old problem first
    kept = std::make_shared<const problem>(
        curvature::manufactured_problem(flow::mean_curvature, cells.width, cells.height));
  }
  return kept;
}

double attempts_of(const merson& m) {
  return static_cast<double>(m.accepted + m.rejected);
}

// Throws if the run failed.
const merson& arrived(const merson& m) {
  const std::string failure = check::failure_of(m);
  if (!failure.empty()) throw std::runtime_error(failure);
  return m;
}

// Solves one surface for on_ranks.
struct surface_stepper {
  using solver = curvature::solver;
  struct answer {
    std::vector<double> surface;  // after steps of fixed length
    merson adaptive;              // at the end of a run with adaptive steps
  };

  std::shared_ptr<const problem> subject;
  double step{.5 * largest_stable_step(*subject)};
  double time{};
  merson adaptive{};

  static const variant_of<solver>& judge_of(const variant_of<solver>& own) { return own; }
  std::string name() const { return fmt::format("{}x{}", subject->cells_x, subject->cells_y); }
  double cells() const { return static_cast<double>(subject->nodes()); }
  double evaluations() const { return steps_timed; }
  reasons told() const {
    return {"of those tried", "nodes, all ranks'",
            "of a step, of the rank that takes longest, by marks in 64 more steps",
            "; from packing rows to their arrival, and of the largest error", "; with nothing to compute"};
  }

  void start(solver& s) {
    s.reset(curvature::fixed_steps(step));
    time = 0;
  }

  // Continues from the solver's current time. The end lies half a step early, so
  // that rounding cannot add a step.
  double advance(solver& s, int steps) {
    return clocked(s, [&] { time = arrived(s.advance(time + (steps - .5) * step)).t; });
  }
  void was_advanced(int) {}  // timed_steps starts again

  double run(solver& s, int repeats) { return advance(s, repeats); }

  double seconds_of_step(solver& s) {
    start(s);
    return median_of_three([&] { return advance(s, steps_timed); }) / steps_timed;
  }
  double timed_steps(solver& s) {
    start(s);
    return advance(s, steps_timed);
  }
  bool takes_same_steps_alone() const { return true; }

  void add_counts(std::vector<found>& all) const {
    all.push_back(
        {"accepted_steps", static_cast<double>(adaptive.accepted), "1", "of the run that chooses its steps"});
    all.push_back({"rejected_steps", static_cast<double>(adaptive.rejected), "1", "of the same"});
  }

  std::vector<checkers::finding> on_small_problem(solver& s, int ranks) const {
    const problem small = curvature::skew_problem(flow::mean_curvature, subject->boundary, 130,
                                                  std::max(60, halo_rows(subject->flow) * ranks + 3));
    s.load(small, precision::single);
    auto findings = check::verify(s, *check::expect_steps(small), precision::single);
    const auto of_run = check::verify(s, check::run_expectation(small), precision::single);
    findings.insert(findings.end(), of_run.begin(), of_run.end());
    return findings;
  }

  using moment = check::moment;
  moment here(solver& s) const { return {arrived(s.advance(time)), s.surface()}; }
  // The error of a step of fixed length decides nothing.
  std::vector<checkers::finding> judge_step(const moment& before, const moment& after) const {
    const curvature::control every_error{.eps = std::numeric_limits<double>::infinity()};
    return {check::judge_stretch(*subject, every_error, before, std::array{after.state.t}, after,
                                 precision::single, check::timed_metrics)
                .front()};
  }
  std::vector<checkers::finding> judge_timed_work(solver& s, int repeats) {
    return judge_steps(*this, s, repeats);
  }

  answer answer_of(solver& s) const {
    answer a;
    s.reset(curvature::fixed_steps(step));
    arrived(s.advance((steps_timed - .5) * step));
    a.surface = s.surface();
    constexpr int steps = 200;  // at the limit of stability
    const double end = steps * largest_stable_step(*subject);
    s.reset(make_control(*subject, end, 5e-7));
    a.adaptive = arrived(s.advance(end));
    return a;
  }

  std::vector<checkers::finding> differences(const answer& mine, const answer& one) {
    adaptive = mine.adaptive;
    const double rounding =
        checkers::unit_roundoff(precision::single) * checkers::largest_magnitude(one.surface);
    return {
        {"surface_apart_from_one_rank", checkers::largest_distance(mine.surface, one.surface),
         16 * steps_timed * rounding,
         "a rank computes its rows as one alone does; where strips begin elsewhere an edge may round "
         "otherwise: some roundings a step"},
        {"steps_apart_from_one_rank", std::abs(attempts_of(mine.adaptive) / attempts_of(one.adaptive) - 1),
         .01, "all ranks decide by the largest error of any, as one alone does"}};
  }
};

}  // namespace

case_plan plan_surface(const std::string& variant, grid_size cells, int ranks) {
  const auto nodes = static_cast<double>(
      curvature::manufactured_grid(flow::mean_curvature, cells.width, cells.height).nodes());
  case_plan plan = plan_on_ranks(variant, precision::single, to_string(cells), "flow=mean_curvature", ranks);
  plan.units_per_repeat = nodes;
  plan.footprint_bytes = static_cast<std::size_t>(nodes / ranks * 7 * sizeof(float));
  plan.make = [=](const reprise::variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<on_ranks<surface_stepper>>(dynamic_cast<const variant_of<solver>&>(v), d, plan,
                                                       ranks, surface_stepper{problem_of(cells)});
  };
  return plan;
}

}  // namespace reprise::harness::scale
