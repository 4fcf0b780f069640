// SPDX-License-Identifier: MIT
// Attempted steps of the mean-curvature flow on several ranks. Right is what every variant is held against,
// on a small grid on these very ranks; and on the grid that is timed the answer of one rank alone.
#include "benchmarks/scale_surfaces.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "solvers/common/ranks.hpp"
#include "solvers/curvature/row_blocks.hpp"
#include "solvers/curvature/variant.hpp"
#include "verification/curvature_check.hpp"

namespace reprise::harness::scale {
namespace {

namespace check = verification::curvature;
using curvature::flow;
using curvature::merson;
using curvature::problem;
using curvature::solver;

constexpr precision arithmetic = precision::single;
constexpr int attempts_timed = 100;

// Dear: the last one is kept.
std::shared_ptr<const problem> problem_of(grid_size cells) {
  static std::shared_ptr<const problem> kept;
  if (kept == nullptr || kept->cells_x != cells.width || kept->cells_y != cells.height) {
    kept.reset();  // makes room first
    kept = std::make_shared<const problem>(
        curvature::manufactured_problem(flow::mean_curvature, cells.width, cells.height));
  }
  return kept;
}

struct answer {
  std::vector<double> surface;  // after steps of one length
  merson adaptive;              // at the end of a run that chooses them
};

double attempts_of(const merson& m) {
  return static_cast<double>(m.accepted + m.rejected);
}

double median_of_three(std::array<double, 3> values) {
  std::sort(values.begin(), values.end());
  return values[1];
}

class surface_on_ranks final : public subject {
 public:
  surface_on_ranks(const variant_of<solver>& of, const device& on, grid_size cells, int ranks)
      : of_(of),
        on_(on),
        ranks_(ranks),
        problem_(problem_of(cells)),
        step_(.5 * largest_stable_step(*problem_)) {}

  void load() override {
    solver_ = made(ranks_);
    solver_->load(*problem_, arithmetic);
    start();
    attempt(4);  // connections are made when they are first used
  }

  std::vector<checkers::finding> verify() override { return was_run_ ? against_one_rank() : on_small_grid(); }

  double run(int repeats) override {
    was_run_ = true;
    return attempt(repeats);
  }

  void read_back() override {}

  // Of one rank, as the device's limits are.
  std::optional<accounted> account() override {
    return accounted{attempts_timed * static_cast<double>(problem_->nodes()) / ranks_, solver_->per_unit()};
  }

  std::vector<found> results() override {
    start();
    const double step =
        median_of_three({attempt(attempts_timed), attempt(attempts_timed), attempt(attempts_timed)}) /
        attempts_timed;
    std::vector<found> all{
        {"time_step", step, "s", "of those tried"},
        {"cells_per_second", static_cast<double>(problem_->nodes()) / step, "1/s", "nodes, all ranks'"},
        {"accepted_steps", static_cast<double>(adaptive_.accepted), "1", "of the run that chooses its steps"},
        {"rejected_steps", static_cast<double>(adaptive_.rejected), "1", "of the same"}};
    if (ranks_ > 1) add_split(all);
    return all;
  }

 private:
  std::unique_ptr<solver> made(int ranks) const {
    auto s = of_.make(on_);
    dynamic_cast<ranks::spread&>(*s).use_ranks(ranks);
    return s;
  }

  ranks::spread& spread() { return dynamic_cast<ranks::spread&>(*solver_); }

  void start() {
    solver_->reset(curvature::fixed_steps(step_));
    time_ = 0;
  }

  // On from where the solver is. The last one is cut in half, so that rounding makes no other after it.
  double attempt(int count) {
    solver_->clock().start();
    time_ = arrived(solver_->advance(time_ + (count - .5) * step_)).t;
    return solver_->clock().stop();
  }

  static const merson& arrived(const merson& m) {
    const std::string failure = check::failure_of(m);
    if (!failure.empty()) throw std::runtime_error(failure);
    return m;
  }

  std::vector<checkers::finding> on_small_grid() const {
    const problem small = curvature::skew_problem(flow::mean_curvature, problem_->how, 130,
                                                  std::max(60, halo_rows(problem_->what) * ranks_ + 3));
    const auto s = made(ranks_);
    s->load(small, arithmetic);
    auto findings = check::verify(*s, *check::expect_steps(small), arithmetic);
    const auto of_run = check::verify(*s, check::run_expectation(small), arithmetic);
    findings.insert(findings.end(), of_run.begin(), of_run.end());
    return findings;
  }

  answer answer_of(solver& s) const {
    answer a;
    s.reset(curvature::fixed_steps(step_));
    arrived(s.advance((attempts_timed - .5) * step_));
    a.surface = s.surface();
    constexpr int steps = 200;  // at the limit of stability
    const double end = steps * largest_stable_step(*problem_);
    s.reset(make_control(*problem_, end, 5e-7));
    a.adaptive = arrived(s.advance(end));
    return a;
  }

  using key = std::tuple<std::string, std::string, int, int>;

  // Computed by the case on one rank, which is the first; by itself where that was left out.
  const answer& of_one_rank(const answer& mine) const {
    static std::pair<key, answer> kept;
    const key own{of_.id, on_.id, problem_->cells_x, problem_->cells_y};
    if (kept.first == own) return kept.second;
    kept = {};  // the answers are large
    if (ranks_ == 1) {
      kept = {own, mine};
      return kept.second;
    }
    const auto alone = made(1);
    alone->load(*problem_, arithmetic);
    kept = {own, answer_of(*alone)};
    return kept.second;
  }

  std::vector<checkers::finding> against_one_rank() {
    const answer mine = answer_of(*solver_);
    const answer& one = of_one_rank(mine);
    double apart = 0;
    double scale = 0;
    for (std::size_t k = 0; k < one.surface.size(); ++k) {
      apart = std::max(apart, std::abs(mine.surface[k] - one.surface[k]));
      scale = std::max(scale, std::abs(one.surface[k]));
    }
    adaptive_ = mine.adaptive;
    constexpr double roundoff = std::numeric_limits<float>::epsilon() / 2;
    return {
        {"surface_apart_from_one_rank", apart, 16 * attempts_timed * roundoff * scale,
         "a rank computes its rows as one alone does; where strips begin elsewhere an edge may round "
         "otherwise: some roundings a step"},
        {"steps_apart_from_one_rank", std::abs(attempts_of(mine.adaptive) / attempts_of(one.adaptive) - 1),
         .01, "all ranks decide by the largest error of any, as one alone does"}};
  }

  void add_split(std::vector<found>& all) {
    const ranks::time_split split = spread().split(64);
    const std::string how = "of a step, of the rank that takes longest, by marks in 64 more steps";
    all.push_back({"compute_time", split.compute, "s", how});
    all.push_back({"exchange_time", split.exchange, "s",
                   how + "; from packing rows to their arrival, and of the largest error"});
    all.push_back({"wait_time", split.wait, "s", how + "; with nothing to compute"});
    std::array<double, 3> with{};
    std::array<double, 3> without{};
    for (std::size_t n = 0; n < with.size(); ++n) {
      start();
      with[n] = attempt(attempts_timed);
      spread().leave_out_exchange(true);
      start();
      without[n] = attempt(attempts_timed);
      spread().leave_out_exchange(false);
    }
    const double whole = median_of_three(with);
    all.push_back({"exposed_communication", 100 * (whole - median_of_three(without)) / whole, "%",
                   "what steps take longer with the exchange than without it"});
  }

  const variant_of<solver>& of_;
  device on_;
  int ranks_;
  std::shared_ptr<const problem> problem_;
  double step_;
  std::unique_ptr<solver> solver_;
  double time_{};
  merson adaptive_;
  bool was_run_{};
};

}  // namespace

case_plan plan_surface(const std::string& variant, grid_size cells, int ranks) {
  const auto nodes = static_cast<double>(
      curvature::manufactured_grid(flow::mean_curvature, cells.width, cells.height).nodes());
  case_plan plan;
  plan.variant = variant;
  plan.arithmetic = arithmetic;
  plan.size = fmt::format("{}x{}", cells.width, cells.height);
  plan.parameter = fmt::format("flow=mean_curvature;ranks={}", ranks);
  plan.metric = fmt::format("time_{}_steps", attempts_timed);
  plan.repeats = attempts_timed;
  plan.units_per_repeat = nodes;
  plan.footprint_bytes = static_cast<std::size_t>(nodes / ranks * 7 * sizeof(float));
  plan.note = "rates are one rank's";
  plan.is_on_ranks = true;
  plan.make = [=](const reprise::variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<surface_on_ranks>(dynamic_cast<const variant_of<solver>&>(v), d, cells, ranks);
  };
  return plan;
}

}  // namespace reprise::harness::scale
