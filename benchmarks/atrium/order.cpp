// SPDX-License-Identifier: MIT
// Measures the errors of fixed steps on one cell and fits the methods' orders to them.
#include "benchmarks/atrium/order.hpp"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "benchmarks/harness/derivation.hpp"
#include "solvers/atrium/variant.hpp"
#include "verification/atrium/check.hpp"

namespace reprise::harness::atrium_cases {
namespace {

namespace check = verification::atrium;
using atrium::gate_rule;
using atrium::scheme;
using atrium::solver;
using reports::row;

class ladder final : public subject {
 public:
  ladder(std::unique_ptr<solver> s, scheme method, gate_rule gates)
      : solver_(std::move(s)), method_(method), gates_(gates), expected_(check::expect_order()) {}

  void load() override { solver_->load(expected_->problem(), precision::double_); }

  std::vector<checkers::finding> verify() override {
    auto findings = check::verify(*solver_, 0, method_, gates_, precision::double_);
    load();
    return findings;
  }

  double run(int repeats) override {
    return repeated(repeats, [this] {
      found_.clear();
      ends_.clear();
      evaluations_ = 0;
      double seconds = 0;
      for (double dt : check::order_expectation::steps(method_, gates_)) seconds += climb(dt);
      return seconds;
    });
  }

  // The runs of all lengths, repeated by the reference from beginning to end.
  std::vector<checkers::finding> judge_timed_work(int /*repeats*/) override {
    std::vector<checkers::finding> all;
    for (const auto& [dt, state] : ends_) all.push_back(expected_->judge(method_, gates_, dt, state));
    return {checkers::worst_of(all)};
  }
  void read_back() override { solver_->state(); }
  std::optional<accounted> account() override {
    return accounted{static_cast<double>(evaluations_), solver_->per_unit()};
  }
  std::vector<found> results() override { return found_; }

 private:
  double climb(double dt) {
    solver_->reset(fixed_steps(method_, gates_, dt));
    const double seconds = clocked(
        *solver_, [&] { evaluations_ += solver_->advance(check::order_expectation::t_end).evaluations; });
    ends_.emplace_back(dt, solver_->state());
    const auto e = expected_->errors_of(ends_.back().second);
    const std::string part = fmt::format("dt={:.6g}", dt);
    found_.push_back({"error_voltage", e.voltage, "mV", "", part});
    found_.push_back({"error_gates", e.gates, "1", "", part});
    return seconds;
  }

  std::unique_ptr<solver> solver_;
  scheme method_;
  gate_rule gates_;
  std::shared_ptr<const check::order_expectation> expected_;
  std::vector<found> found_;
  std::vector<std::pair<double, std::vector<atrium::cell_state>>>
      ends_;  // of the last runs, with their steps
  long long evaluations_{};
};

}  // namespace

case_plan plan_order(const std::string& variant, scheme method, gate_rule gates) {
  case_plan plan;
  plan.variant = "atrium/" + variant;
  plan.arithmetic = precision::double_;
  plan.size = "1";
  plan.parameter = fmt::format("method={};gates={}", to_string(method), to_string(gates));
  plan.metric = "time_ladder";
  plan.units_per_repeat = 1;
  plan.footprint_bytes = 2 * atrium::variables * sizeof(double);
  plan.note = "all steps, one after the other, with the errors of each";
  plan.runs_once = true;
  plan.make = around<solver>([=](auto s) { return std::make_unique<ladder>(std::move(s), method, gates); });
  return plan;
}

std::vector<row> fitted_orders(std::span<const row> rows) {
  using expected = check::order_expectation;
  std::vector<row> all;
  for (const auto& [error, order, floor] :
       {std::tuple{"error_voltage", "order_voltage", expected::voltage_rounding},
        {"error_gates", "order_gates", expected::gate_rounding}})
    for (const line& l : lines_over(parameter_number("dt"), rows, error)) {
      const checkers::fitted_order fit = checkers::fit_asymptotic_order(l.x, l.y, floor);
      row r = fitted(l.like, order, fit);
      if (!fit.flaw.empty()) {
        r.status = "skipped";
        r.reason = fit.flaw;
      }
      all.push_back(std::move(r));
    }
  return all;
}

}  // namespace reprise::harness::atrium_cases
