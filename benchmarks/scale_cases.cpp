// SPDX-License-Identifier: MIT
// Steps of a sphere of atrial cells on several ranks. Right is what the variant's own answers on small
// spheres are held against, on these very ranks; and on the sphere that is timed the answer of one rank
// alone.
#include "benchmarks/scale_cases.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "solvers/atrium/variant.hpp"
#include "solvers/common/error.hpp"
#include "solvers/common/ranks.hpp"
#include "verification/atrium_check.hpp"

namespace reprise::harness::scale {
namespace {

namespace check = verification::atrium;
using atrium::control;
using atrium::gate_rule;
using atrium::problem;
using atrium::progress;
using atrium::solver;

constexpr int steps_timed = 100;
constexpr double adaptive_end = 6;  // ms, past the stimulus that begins at 1

// Dear: the last one is kept.
std::shared_ptr<const problem> sphere_of(int subdivisions) {
  static std::pair<int, std::shared_ptr<const problem>> kept{-1, nullptr};
  if (kept.first != subdivisions) {
    kept = {-1, nullptr};  // makes room first
    problem p = atrium::sphere_problem(subdivisions);
    p.recorded.clear();
    kept = {subdivisions, std::make_shared<const problem>(std::move(p))};
  }
  return kept.second;
}

control control_of(const stepping& how) {
  if (!how.is_adaptive()) return fixed_steps(how.method, gate_rule::rush_larsen, how.dt);
  return adaptive_steps(how.method, gate_rule::rush_larsen, how.at, how.rt, adaptive_end);
}

double end_of(const stepping& how) {
  return how.is_adaptive() ? adaptive_end : steps_timed * how.dt;
}

std::string parameter_of(const stepping& how) {
  const std::string method = fmt::format("method={}", to_string(how.method));
  return method + (how.is_adaptive() ? fmt::format(";at={:g};rt={:g}", how.at, how.rt)
                                     : fmt::format(";dt={:g}", how.dt));
}

// Of adaptive steps only how many there were: the largest error of all cells decides them.
struct answer {
  progress end;
  std::vector<double> voltage;
};

answer answer_of(solver& s, const problem& p, const stepping& how) {
  s.reset(control_of(how));
  answer a;
  a.end = s.advance(end_of(how));
  const std::string failure = check::failure_of(p, a.end);
  if (!failure.empty()) throw std::runtime_error(failure);
  if (how.is_adaptive()) return a;
  for (const atrium::cell_state& y : s.state()) a.voltage.push_back(y[atrium::at_v]);
  return a;
}

double median_of_three(double a, double b, double c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

class sphere_on_ranks final : public subject {
 public:
  sphere_on_ranks(const variant_of<solver>& of, const device& on, const stepping& how, precision arithmetic,
                  int subdivisions, int ranks)
      : of_(of),
        on_(on),
        how_(how),
        arithmetic_(arithmetic),
        ranks_(ranks),
        sphere_(sphere_of(subdivisions)) {}

  void load() override {
    solver_ = made(ranks_);
    solver_->load(*sphere_, arithmetic_);
    start();
    advance_steps(4);  // connections are made when they are first used
    if (how_.is_adaptive()) start();
  }

  std::vector<checkers::finding> verify() override {
    return was_run_ ? against_one_rank() : on_small_sphere();
  }

  double run(int repeats) override {
    was_run_ = true;
    if (!how_.is_adaptive()) return advance_steps(repeats);
    start();
    solver_->clock().start();
    last_ = solver_->advance(adaptive_end);
    const double seconds = solver_->clock().stop();
    step_seconds_ = seconds / attempts_of(last_);
    adaptive_ = last_;
    return seconds;
  }

  void read_back() override {}

  // Of one rank, as the device's limits are.
  std::optional<accounted> account() override {
    const double evaluations =
        how_.is_adaptive() ? static_cast<double>(adaptive_.evaluations) : static_cast<double>(steps_timed);
    return accounted{evaluations * static_cast<double>(sphere_->cells()) / ranks_, solver_->per_unit()};
  }

  std::vector<found> results() override {
    if (how_.is_adaptive()) {
      start();
      last_ = solver_->advance(1);
    } else {
      const double a = advance_steps(steps_timed), b = advance_steps(steps_timed),
                   c = advance_steps(steps_timed);
      step_seconds_ = median_of_three(a, b, c) / steps_timed;
    }
    std::vector<found> all{
        {"time_step", step_seconds_, "s", how_.is_adaptive() ? "of those tried" : ""},
        {"cells_per_second", static_cast<double>(sphere_->cells()) / step_seconds_, "1/s", "all ranks'"}};
    if (how_.is_adaptive()) {
      all.push_back({"accepted_steps", static_cast<double>(adaptive_.accepted), "1"});
      all.push_back({"rejected_steps", static_cast<double>(adaptive_.rejected), "1"});
    }
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
    solver_->reset(control_of(how_));
    last_ = {};
  }

  static double attempts_of(const progress& s) { return static_cast<double>(s.accepted + s.rejected); }

  // On from where the solver is.
  double advance_steps(int steps) {
    const double step = how_.is_adaptive() ? last_.wanted : how_.dt;
    solver_->clock().start();
    last_ = solver_->advance(last_.t + steps * (step > 0 ? step : control_of(how_).dt));
    return solver_->clock().stop();
  }

  std::vector<checkers::finding> on_small_sphere() const {
    const auto small = made(ranks_);
    return check::verify(*small, 3, how_.method, gate_rule::rush_larsen, arithmetic_);
  }

  using key = std::tuple<std::string, std::string, precision, std::string, std::size_t>;

  // Computed by the case on one rank, which is the first; by itself where that was left out.
  const answer& of_one_rank(const answer& mine) {
    static std::map<key, answer> kept;
    const key own{of_.id, on_.id, arithmetic_, parameter_of(how_), sphere_->cells()};
    const auto known = kept.find(own);
    if (known != kept.end()) return known->second;
    kept.clear();  // the answers are large
    if (ranks_ == 1) return kept[own] = mine;
    const auto alone = made(1);
    alone->load(*sphere_, arithmetic_);
    return kept[own] = answer_of(*alone, *sphere_, how_);
  }

  std::vector<checkers::finding> against_one_rank() {
    const answer mine = answer_of(*solver_, *sphere_, how_);
    last_ = mine.end;
    const answer& one = of_one_rank(mine);
    if (how_.is_adaptive()) {
      const double share = std::abs(attempts_of(mine.end) / attempts_of(one.end) - 1);
      return {{"steps_apart_from_one_rank", share, .01,
               "all ranks decide by the largest error of any, as one alone does"}};
    }
    double apart = 0;
    for (std::size_t k = 0; k < one.voltage.size(); ++k)
      apart = std::max(apart, std::abs(mine.voltage[k] - one.voltage[k]));
    const bool is_single = arithmetic_ == precision::single;
    return {{"voltage_apart_from_one_rank", apart, is_single ? .05 : 1e-8,
             "mV: ranks compute what one computes; an upstroke magnifies rounding a thousand times"}};
  }

  void add_split(std::vector<found>& all) {
    const ranks::time_split split = spread().split(64);
    const std::string how = "of a step, the longest of any rank, by marks in 64 more steps";
    last_.t += 64 * how_.dt;
    all.push_back({"compute_time", split.compute, "s", how});
    all.push_back({"exchange_time", split.exchange, "s", how + "; from packing borders to their arrival"});
    all.push_back({"wait_time", split.wait, "s", how + "; with nothing of the interior to compute"});
    if (how_.is_adaptive()) return;  // with other answers it would take other steps
    double with[3], without[3];
    for (int n = 0; n < 3; ++n) {
      with[n] = advance_steps(steps_timed);
      spread().leave_out_exchange(true);
      without[n] = advance_steps(steps_timed);
      spread().leave_out_exchange(false);
    }
    const double whole = median_of_three(with[0], with[1], with[2]);
    const double alone = median_of_three(without[0], without[1], without[2]);
    all.push_back({"exposed_communication", 100 * (whole - alone) / whole, "%",
                   "what steps take longer with the exchange than without it"});
  }

  const variant_of<solver>& of_;
  device on_;
  stepping how_;
  precision arithmetic_;
  int ranks_;
  std::shared_ptr<const problem> sphere_;
  std::unique_ptr<solver> solver_;
  progress last_;
  progress adaptive_;  // of the last whole run
  double step_seconds_{};
  bool was_run_{};
};

}  // namespace

case_plan plan_sphere(const std::string& variant, const stepping& how, precision arithmetic, int subdivisions,
                      int ranks) {
  const double cells = atrium::cells_of(subdivisions);
  case_plan plan;
  plan.variant = variant;
  plan.arithmetic = arithmetic;
  plan.size = fmt::format("{:.0f}", cells);
  plan.parameter = fmt::format("{};ranks={}", parameter_of(how), ranks);
  plan.metric = how.is_adaptive() ? "time_solve" : fmt::format("time_{}_steps", steps_timed);
  plan.repeats = how.is_adaptive() ? 1 : steps_timed;
  plan.runs_once = how.is_adaptive();
  plan.units_per_repeat = cells;
  plan.footprint_bytes = static_cast<std::size_t>(cells / ranks * 2 * atrium::variables *
                                                  (arithmetic == precision::single ? 4 : 8));
  plan.note = "rates are one rank's";
  plan.is_on_ranks = true;
  plan.make = [=](const reprise::variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<sphere_on_ranks>(dynamic_cast<const variant_of<solver>&>(v), d, how, arithmetic,
                                             subdivisions, ranks);
  };
  return plan;
}

}  // namespace reprise::harness::scale
