// SPDX-License-Identifier: MIT
// Measures errors of fixed steps on one cell and fits the orders of the methods to them.
#include "benchmarks/atrium_order.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "solvers/atrium/variant.hpp"
#include "verification/atrium_check.hpp"
#include "verification/checkers/order_fit.hpp"

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
    double seconds = 0;
    for (int r = 0; r < repeats; ++r) {
      found_.clear();
      evaluations_ = 0;
      for (double dt : check::order_expectation::steps(method_, gates_)) seconds += climb(dt);
    }
    return seconds;
  }

  void read_back() override { solver_->state(); }
  std::optional<accounted> account() override {
    return accounted{static_cast<double>(evaluations_), solver_->per_unit()};
  }
  std::vector<found> results() override { return found_; }

 private:
  double climb(double dt) {
    solver_->reset(fixed_steps(method_, gates_, dt));
    solver_->clock().start();
    evaluations_ += solver_->advance(check::order_expectation::t_end).evaluations;
    const double seconds = solver_->clock().stop();
    const auto e = expected_->errors_of(solver_->state());
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
  long long evaluations_{};
};

struct line {
  row first;
  std::vector<double> steps, errors;
};

// One for each variant on a device with a method: dt is the last part of the parameter.
std::vector<line> lines_of(std::span<const row> rows, const std::string& metric) {
  std::map<std::tuple<std::string, std::string, std::string>, line> all;
  const std::string name = ";dt=";
  for (const row& r : rows) {
    const std::size_t at = r.parameter.rfind(name);
    if (r.metric != metric || r.status != "ok" || at == std::string::npos) continue;
    const std::string method = r.parameter.substr(0, at);
    line& l = all[{r.variant, r.device, method}];
    l.first = r;
    l.first.parameter = method;
    l.steps.push_back(std::stod(r.parameter.substr(at + name.size())));
    l.errors.push_back(r.value);
  }
  std::vector<line> lines;
  for (auto& [key, l] : all) lines.push_back(std::move(l));
  return lines;
}

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
  plan.make = [=](const reprise::variant& v, const device& d) -> std::unique_ptr<subject> {
    return std::make_unique<ladder>(dynamic_cast<const variant_of<solver>&>(v).make(d), method, gates);
  };
  return plan;
}

std::vector<row> fitted_orders(std::span<const row> rows) {
  constexpr double rounding = check::order_expectation::rounding;
  std::vector<row> all;
  for (const auto& [error, order, floor] : {std::tuple{"error_voltage", "order_voltage", rounding},
                                            {"error_gates", "order_gates", .1 * rounding}})
    for (const line& l : lines_of(rows, error)) {
      const checkers::fitted_order fit = checkers::fit_order(l.steps, l.errors, floor);
      if (std::isnan(fit.order)) continue;
      row r =
          derived(l.first, order, fit.order, "1", fmt::format("least squares through {} points", fit.points));
      r.q1 = fit.low;
      r.q3 = fit.high;
      r.samples = fit.points;
      all.push_back(std::move(r));
    }
  return all;
}

}  // namespace reprise::harness::atrium_cases
