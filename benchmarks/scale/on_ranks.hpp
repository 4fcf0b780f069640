// SPDX-License-Identifier: MIT
// One case on several ranks: how it is verified and timed. The variant is verified on a small problem on the
// same ranks. On the timed problem its answer is compared with that of a single rank. A step is timed with
// and without exchange.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/timed_work.hpp"
#include "reports/store/statistics.hpp"
#include "solvers/common/ranks/ranks.hpp"

namespace reprise::harness::scale {

constexpr int steps_timed = 100;

// Calls `seconds` three times and returns the median.
template <class Seconds>
double median_of_three(Seconds seconds) {
  return reports::median({seconds(), seconds(), seconds()});
}

// The reasons in a step's rows, which differ between problems.
struct reasons {
  std::string step, cells, split, exchange, wait;
};

// Returns a plan that lacks units, footprint and `make`.
case_plan plan_on_ranks(const std::string& variant, precision arithmetic, const std::string& size,
                        const std::string& parameter, int ranks);

// The timed steps once more. From the solver's own state the reference makes some of them, and the last one of a call
// as long as a sample's.
template <class Stepper>
std::vector<checkers::finding> judge_steps(Stepper& stepper, typename Stepper::solver& s, int repeats) {
  std::vector<checkers::finding> all;
  typename Stepper::moment before;
  const auto judge_one = [&] { checkers::append(all, stepper.judge_step(before, stepper.here(s))); };
  stepper.start(s);
  long made = 0;
  for (const window& w : windows_of(repeats, 1, stepper.name())) {
    if (w.begin > made) stepper.advance(s, static_cast<int>(w.begin - made));
    before = stepper.here(s);
    stepper.advance(s, 1);
    made = w.end();
    judge_one();
  }
  stepper.start(s);
  stepper.advance(s, repeats);
  judge_one();
  return checkers::worst_of_each(all);
}

// A stepper holds the problem, the time stepping, and the time that the solver has reached.
template <class Stepper>
class on_ranks final : public subject {
 public:
  using solver = typename Stepper::solver;
  using answer = typename Stepper::answer;

  on_ranks(const variant_of<solver>& of, const device& on, const case_plan& plan, int ranks, Stepper stepper)
      : of_(of), on_(on), plan_(plan), ranks_(ranks), stepper_(std::move(stepper)) {}

  void load() override {
    solver_ = made(ranks_);
    solver_->load(*stepper_.subject, plan_.arithmetic);
    stepper_.start(*solver_);
    stepper_.advance(*solver_, 4);  // warm-up: connections are made on first use
  }

  std::vector<checkers::finding> verify() override {
    if (!was_run_) return stepper_.on_small_problem(*made(ranks_), ranks_);
    const answer mine = stepper_.answer_of(*solver_);
    return stepper_.differences(mine, of_one_rank(mine));
  }

  double run(int repeats) override {
    was_run_ = true;
    return stepper_.run(*solver_, repeats);
  }

  std::vector<checkers::finding> judge_timed_work(int repeats) override {
    return stepper_.judge_timed_work(*solver_, repeats);
  }

  // The work of one rank, because roofs are per device.
  std::optional<accounted> account() override {
    return accounted{stepper_.evaluations() * stepper_.cells() / ranks_, solver_->per_unit()};
  }

  std::vector<found> results() override {
    const double step = stepper_.seconds_of_step(*solver_);
    const reasons why = stepper_.told();
    std::vector<found> all{{"time_step", step, "s", why.step},
                           {"cells_per_second", stepper_.cells() / step, "1/s", why.cells}};
    stepper_.add_counts(all);
    if (ranks_ > 1) add_split(all, why);
    return all;
  }

 private:
  std::unique_ptr<solver> made(int ranks) const { return made(ranks, of_); }
  std::unique_ptr<solver> made(int ranks, const variant_of<solver>& of) const {
    auto s = of.make(on_);
    dynamic_cast<ranks::spread&>(*s).use_ranks(ranks);
    return s;
  }

  // The case on one rank comes first and provides this answer. If it was left out, or if one device may be too small for
  // the variant, the answer is computed here.
  const answer& of_one_rank(const answer& mine) const {
    static std::pair<std::string, answer> kept;
    const variant_of<solver>& judge = stepper_.judge_of(of_);
    const std::string own = judge.id + ' ' + on_.id + ' ' + stepper_.name();
    if (kept.first == own) return kept.second;
    kept = {};  // the answers are large
    if (ranks_ == 1 && &judge == &of_) {
      kept.second = mine;
    } else {
      const auto alone = made(1, judge);
      alone->load(*stepper_.subject, plan_.arithmetic);
      kept.second = stepper_.answer_of(*alone);
    }
    kept.first = own;
    return kept.second;
  }

  void add_split(std::vector<found>& all, const reasons& why) {
    auto& spread = dynamic_cast<ranks::spread&>(*solver_);
    const ranks::time_split split = spread.split(64);
    stepper_.was_advanced(64);
    all.push_back({"compute_time", split.compute, "s", why.split});
    all.push_back({"exchange_time", split.exchange, "s", why.split + why.exchange});
    all.push_back({"wait_time", split.wait, "s", why.split + why.wait});
    if (!stepper_.takes_same_steps_alone()) return;
    // The shortest of each, as other programs only ever lengthen them, and the difference is small.
    double with = std::numeric_limits<double>::infinity(), without = with;
    for (int n = 0; n < 5; ++n) {
      with = std::min(with, stepper_.timed_steps(*solver_));
      spread.leave_out_exchange(true);
      without = std::min(without, stepper_.timed_steps(*solver_));
      spread.leave_out_exchange(false);
    }
    all.push_back({"exposed_communication", 100 * (with - without) / with, "%",
                   "what steps take longer with the exchange than without it"});
  }

  const variant_of<solver>& of_;
  device on_;
  case_plan plan_;
  int ranks_;
  Stepper stepper_;
  std::unique_ptr<solver> solver_;
  bool was_run_{};
};

}  // namespace reprise::harness::scale
