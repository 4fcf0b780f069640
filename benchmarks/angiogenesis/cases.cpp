// SPDX-License-Identifier: MIT
// Implements the angiogenesis paper's cases that run time steps.
#include "benchmarks/angiogenesis/cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

#include "benchmarks/angiogenesis/profiles.hpp"
#include "benchmarks/harness/timed_work.hpp"
#include "reference/angiogenesis/integration.hpp"
#include "reference/angiogenesis/linear_systems.hpp"
#include "reference/angiogenesis/manufactured.hpp"
#include "reference/angiogenesis/operators.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/angiogenesis/check.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::harness::angiogenesis_cases {
namespace {

namespace check = verification::angiogenesis;
namespace exact = reference::angiogenesis;
using namespace angiogenesis;

constexpr double order_end = .1;

// The sources of the manufactured solution.
exact::source forcing_of(const task& t, const problem& p) {
  if (t.question != question::error_in_space) return {};
  return [p](double at) { return exact::manufactured_source(p, at); };
}

// For the order in time, the smooth case runs to the same end time with different numbers of steps. For the
// order in space, the steps are so short that the error in time is negligible, or the same on both grids.
problem problem_of(const task& t, const choice& chosen, int nodes) {
  if (t.question == question::error_in_time)
    return make_problem(fast_parameters(), t.reading, start::smooth, nodes, order_end / t.steps);
  if (t.question == question::error_of_halving)
    return make_problem(slow_parameters(), t.reading, start::smooth, nodes, order_end / t.steps);
  if (t.question != question::error_in_space)
    return make_problem(chosen.parameters, t.reading, start::step, nodes, chosen.dt);
  const double h = 1.0 / (nodes - 1);
  problem p = empty_problem(fast_parameters(), t.reading, nodes, .2 * h * h);
  const exact::state u0 = exact::manufactured(p, 0);
  p.u0.assign(u0.data(), u0.data() + u0.size());
  return p;
}

int steps_of(const task& t, const problem& p) {
  return t.question == question::error_in_space ? static_cast<int>(std::lround(order_end / p.dt)) : t.steps;
}

exact::state as_state(const std::vector<double>& u) {
  return Eigen::Map<const exact::state>(u.data(), static_cast<Eigen::Index>(u.size()));
}

// Returns the state of the paper's CPU code after `steps` steps. Its runs are cached, because many variants
// are compared with the same one.
const std::vector<double>& baseline(const problem& p, int steps) {
  struct entry {
    int nodes;
    taxis reading;
    std::unique_ptr<solver> with;
    std::unique_ptr<imex> run;
    std::map<int, std::vector<double>> after;
  };
  static std::deque<entry> kept;
  auto at = std::ranges::find_if(
      kept, [&](const entry& e) { return e.nodes == p.nodes && e.reading == p.reading; });
  if (at == kept.end()) {
    const target on = targets_of("angiogenesis/cpu_elimination", "cpu", false).front();
    auto with = dynamic_cast<const variant_of<solver>&>(*on.variant).make(on.device);
    auto run = std::make_unique<imex>(p, *with, factoring::once);
    constexpr std::size_t most_kept = 4;
    if (kept.size() == most_kept) kept.pop_front();
    kept.push_back({p.nodes, p.reading, std::move(with), std::move(run), {}});
    at = kept.end() - 1;
  }
  while (at->run->so_far().steps < steps) {
    at->run->advance(1);
    at->after[static_cast<int>(at->run->so_far().steps)] = at->run->state();
  }
  return at->after.at(steps);
}

bool is_same(const problem& a, const problem& b) {
  return a.nodes == b.nodes && a.reading == b.reading && a.dt == b.dt && a.u0 == b.u0 &&
         std::ranges::all_of(parameter_names, [&](const auto& named) {
           return a.parameters.*named.second == b.parameters.*named.second;
         });
}

// The reference's whole run. It is cached, because many variants take the same steps.
std::shared_ptr<const check::run_expectation> expected_run(const task& t, const problem& p, int steps) {
  struct entry {
    bool is_forced;
    std::shared_ptr<const check::run_expectation> run;
  };
  static std::deque<entry> kept;
  const bool is_forced = t.question == question::error_in_space;
  const auto at = std::ranges::find_if(kept, [&](const entry& e) {
    return e.is_forced == is_forced && e.run->steps() == steps && is_same(e.run->what(), p);
  });
  if (at != kept.end()) return at->run;
  constexpr std::size_t most_kept = 16;
  if (kept.size() == most_kept) kept.pop_front();
  kept.push_back({is_forced, std::make_shared<const check::run_expectation>(p, steps, forcing_of(t, p))});
  return kept.back().run;
}

class time_steps final : public subject {
 public:
  time_steps(std::unique_ptr<solver> s, task t, const choice& chosen, int nodes)
      : solver_(std::move(s)),
        task_(t),
        problem_(problem_of(t, chosen, nodes)),
        steps_(steps_of(t, problem_)) {}

  void load() override { make_ready(); }

  std::vector<checkers::finding> verify() override {
    is_ready_ = false;
    constexpr int enough = 5;
    return check::verify(*solver_, check::run_expectation(problem_, std::min(steps_, enough)), task_.when);
  }

  double run(int repeats) override {
    make_ready();
    double seconds = 0;
    for (int r = 0; r < repeats; ++r) {
      run_->reset();
      const double solved = solver_->spent().seconds.total();
      const double here = clocked(*solver_, [&] { run_->advance(steps_); });
      if (!run_->so_far().failure.empty()) throw error(run_->so_far().failure);
      share_ = 100 * (solver_->spent().seconds.total() - solved) / here;
      seconds += here;
    }
    return seconds;
  }

  // The state that the samples left, and the same run once more, whole and in windows.
  std::vector<checkers::finding> judge_timed_work(int /*repeats*/) override {
    const auto known = expected_run(task_, problem_, steps_);
    const double tolerance = solver_->tolerance();
    std::vector<checkers::finding> whole = known->judge(run_->state(), tolerance);
    const std::vector<window> windows = windows_of(steps_, window_steps, problem_seed());
    const auto states = states_between(windows);
    std::vector<checkers::finding> parts;
    for (const window& w : windows)
      parts.push_back(
          known->judge_window(states.at(w.begin), w.begin, w.steps, states.at(w.end()), tolerance));
    whole.push_back(known->judge(run_->state(), tolerance).front());
    for (checkers::finding& f : whole) f.metric = "timed_run_error";
    return {checkers::worst_of(whole), checkers::worst_of(parts)};
  }

  std::optional<accounted> account() override {
    return accounted{static_cast<double>(steps_), solver_->per_solve()};
  }

  std::vector<found> results() override {
    switch (task_.question) {
      case question::difference:
        return differences();
      case question::solve_share:
        return {{"solve_share", share_, "%", "the solves of a run over the run"}};
      case question::error_in_time:
        return {{"error_time", largest_error(exact::integrate(problem_, order_end, 1e-12)), "1"}};
      case question::error_in_space:
        return {{"error_space", largest_error(exact::manufactured(problem_, run_->time())), "1"}};
      case question::error_of_halving:
        return halving();
    }
    return {};
  }

  // The profiles where the run ends, and their masses.
  final_state end() override {
    make_ready();
    run_->reset();
    run_->advance(steps_);
    constexpr std::array<const char*, angiogenesis::fields> masses{"mass_c", "mass_p", "mass_i", "mass_f"};
    final_state last{profiles(run_->state())};
    for (std::size_t f = 0; f < masses.size(); ++f)
      last.numbers.push_back({masses[f], mass(problem_, run_->state(), static_cast<angiogenesis::field>(f)),
                              "1", fmt::format("the integral of {} at the end", last.fields[f].name)});
    return last;
  }

 private:
  static constexpr long window_steps = 4;

  void make_ready() {
    if (is_ready_) return;
    run_.emplace(problem_, *solver_, task_.when);
    if (const exact::source add = forcing_of(task_, problem_))
      run_->set_forcing([add](double t, std::span<double> rate) {
        const exact::state source = add(t);
        for (std::size_t k = 0; k < rate.size(); ++k) rate[k] += source(static_cast<Eigen::Index>(k));
      });
    is_ready_ = true;
  }

  std::string problem_seed() const {
    return fmt::format("{} {} {}", problem_.nodes, to_string(task_.reading), steps_);
  }

  // The states before and after each window in one run of all steps, by the number of steps. The solver is
  // not loaded again.
  std::map<long, std::vector<double>> states_between(const std::vector<window>& windows) {
    std::map<long, std::vector<double>> states;
    for (const window& w : windows) states[w.begin], states[w.end()];
    run_->reset();
    for (auto& [at, state] : states) {
      run_->advance(static_cast<int>(at - run_->so_far().steps));
      state = run_->state();
    }
    run_->advance(static_cast<int>(steps_ - run_->so_far().steps));
    return states;
  }

  // The largest distance, and the mean one of C, from the run on twice as many intervals.
  std::vector<found> halving() {
    const problem fine =
        make_problem(problem_.parameters, task_.reading, start::smooth, 2 * problem_.nodes - 1, problem_.dt);
    imex finer(fine, *solver_, task_.when);
    finer.advance(steps_);
    is_ready_ = false;
    const std::vector<double>& coarse = run_->state();
    double most = 0, of_c = 0;
    for (int f = 0; f < angiogenesis::fields; ++f)
      for (int i = 0; i < problem_.nodes; ++i) {
        const auto here = static_cast<std::size_t>(f * problem_.nodes + i);
        const auto there = static_cast<std::size_t>(f * fine.nodes + 2 * i);
        const double apart = std::abs(coarse[here] - finer.state()[there]);
        checkers::raise(most, apart);
        if (f == 0) of_c += apart / problem_.nodes;
      }
    return {{"error_halving", most, "1", "the largest distance of a value from the grid of half the spacing"},
            {"error_halving_mean", of_c, "1", "the mean distance of C from the grid of half the spacing"}};
  }

  std::vector<found> differences() {
    run_->watch_residuals(true);
    run_->reset();
    run_->advance(steps_);
    run_->watch_residuals(false);
    const std::vector<double>& paper = baseline(problem_, steps_);
    const exact::state u = as_state(run_->state());
    const double m = mass(problem_, run_->state());
    const record& r = run_->so_far();
    return {
        {"relative_error", (u - as_state(paper)).norm() / as_state(paper).norm(), "1",
         "Euclidean norm, against cpu_elimination in this run"},
        {"mass_difference", std::abs(m - mass(problem_, paper)) / mass(problem_, paper), "1",
         "of C, against cpu_elimination in this run"},
        {"mass_defect", std::abs(run_->mass_defect()), "1",
         "of C: what growth and clipping do not account for"},
        {"largest_backward_error", r.backward_error, "1", "of the run's solves"},
        {"clipped", static_cast<double>(r.clipped), "1"},
        {"row_swaps", static_cast<double>(solver_->spent().row_swaps.value_or(0)), "1", "of a factorisation"},
        {"condition", exact::condition(problem_), "1", "of the step's matrix, maximum norm"}};
  }

  double largest_error(const exact::state& from) const {
    return checkers::largest_distance(run_->state(), from);
  }

  std::unique_ptr<solver> solver_;
  task task_;
  problem problem_;
  int steps_;
  std::optional<imex> run_;
  bool is_ready_{};
  double share_{};
};

// Rough estimate that decides which cases a preset can afford; right within a factor
// of a few on current machines.
double expected_seconds(const task& t, const std::string& variant, int nodes) {
  const double n = 4.0 * nodes;
  const double h = 1.0 / (nodes - 1);
  const double steps = t.question == question::error_in_space ? order_end / (.2 * h * h) : t.steps;
  const double step = 2e-7 * n;
  if (is_by_structure(variant)) return steps * step;
  const double factorise = n * n * n * 2.5e-10;
  return steps * (step + n * n * 1.5e-9 + (t.when == factoring::every_solve ? factorise : 0));
}

}  // namespace

choice choice_of(const plan_request& request) {
  choice c{slow_parameters(), 1e-3, {}};
  const auto set = [&](const std::string& name, double& value) {
    const auto asked = request.settings.find(name);
    if (asked == request.settings.end() || asked->second == value) return;
    value = asked->second;
    c.told += fmt::format(";{}={:g}", name, value);
  };
  set("dt", c.dt);
  for (const auto& [name, member] : parameter_names) set(std::string(name), c.parameters.*member);
  static_cast<void>(empty_problem(c.parameters, taxis::nodal, 3, c.dt));  // refuses invalid parameters
  return c;
}

std::vector<std::string> setting_names() {
  std::vector<std::string> names{"dt"};
  for (const auto& [name, member] : parameter_names) names.emplace_back(name);
  return names;
}

bool is_by_structure(const std::string& variant) {
  return variant.ends_with("_structured") || variant.ends_with("_gmres") || variant.ends_with("_banded") ||
         variant.ends_with("_tridiagonal") || variant.ends_with("_sparse_lu");
}

case_plan plan_run(const std::string& name, const task& t, const choice& chosen, int nodes,
                   const std::string& parameter) {
  case_plan plan;
  plan.variant = "angiogenesis/" + name;
  plan.arithmetic = precision::double_;
  plan.size = fmt::format("{}x1", nodes);
  plan.parameter = parameter + chosen.told;
  plan.metric = run_metric;
  plan.units_per_repeat = t.steps;
  const double n = 4.0 * nodes;
  plan.footprint_bytes =
      static_cast<std::size_t>(sizeof(double) * (is_by_structure(name) ? 30 * n : n * (n + 1)));
  plan.expected_seconds = [t, name, nodes](const device&) { return expected_seconds(t, name, nodes); };
  plan.make =
      around<solver>([=](auto s) { return std::make_unique<time_steps>(std::move(s), t, chosen, nodes); });
  return plan;
}

}  // namespace reprise::harness::angiogenesis_cases
