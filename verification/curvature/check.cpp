// SPDX-License-Identifier: MIT
// Checks answers of curvature solvers.
#include "verification/curvature/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::curvature {
namespace {

using reprise::curvature::ending;
using reprise::curvature::merson;
using reprise::curvature::problem;

double step_distance(long long a, long long b) {
  return std::abs(static_cast<double>(a - b)) / checkers::larger(1, static_cast<double>(b));
}

constexpr double run_eps = 1e-6;

// In units of Merson's longest stable step. Six stages of the Chebyshev method are stable at the second length.
double step_length(integrator method) {
  return method == integrator::merson ? .8 : 5;
}

auto steps_by(integrator method) {
  return method == integrator::merson ? reference::curvature::merson_steps
                                      : reference::curvature::chebyshev_steps;
}

}  // namespace

stepwise_expectation::stepwise_expectation(const problem& p, start from, integrator method)
    : tau_(step_length(method) * reference::curvature::stable_step(p)),
      reference_(steps_by(method)(p, tau_, steps)),
      of_problem_(judge_problem(p, from)),
      weight_of_rates_(method == integrator::merson ? 1 : 1 + .4 * 3.55 * step_length(method)) {
  constexpr double small = 1e-7;
  problem disturbed = p;
  for (std::size_t i = 0; i < disturbed.u0.size(); ++i) disturbed.u0[i] += i % 2 == 0 ? small : -small;
  growth_ = checkers::largest_distance(steps_by(method)(disturbed, tau_, steps).u, reference_.u) / small;
}

std::vector<checkers::finding> stepwise_expectation::judge(const std::vector<double>& surface,
                                                           const merson& m, precision arithmetic) const {
  const double scale = checkers::largest_magnitude(reference_.u);
  const double limit = 128 * steps * checkers::unit_roundoff(arithmetic) * checkers::larger(1, growth_);
  std::vector<checkers::finding> findings{
      {"max_relative_error", checkers::largest_distance(surface, reference_.u) / scale, limit,
       "below the limit of stability a step multiplies no rounding, and its five stages round some hundred "
       "operations on terms of the surface's size: 128 u a step"},
      {"error_estimate", std::abs(m.error - reference_.error) / scale, limit * weight_of_rates_,
       "e is a sum of the same stages, so it rounds like the surface; the Chebyshev method's has the last "
       "rate, "
       "times 2/5 of the step"}};
  findings.push_back(of_problem_);
  return findings;
}

std::shared_ptr<const stepwise_expectation> expect_steps(const problem& p, start from, integrator method) {
  struct entry {
    problem of;
    start begun;
    integrator method;
    std::shared_ptr<const stepwise_expectation> value;
  };
  static std::deque<entry> kept;
  for (const entry& e : kept)
    if (e.of.flow == p.flow && e.of.boundary == p.boundary && e.of.cells_x == p.cells_x &&
        e.of.cells_y == p.cells_y && e.begun == from && e.method == method && e.of.u0 == p.u0)
      return e.value;
  kept.push_back({p, from, method, std::make_shared<const stepwise_expectation>(p, from, method)});
  constexpr std::size_t fewest_kept = 4, most_nodes = 1'000'000;
  std::size_t nodes = 0;
  for (const entry& e : kept) nodes += e.of.u0.size();
  for (; kept.size() > fewest_kept && nodes > most_nodes; kept.pop_front())
    nodes -= kept.front().of.u0.size();
  return kept.back().value;
}

run_expectation::run_expectation(const problem& p, integrator method) {
  const double t_end = 24 * reference::curvature::stable_step(p);
  // An end time that is no multiple of a step, with one stop before it.
  times_ = {.37 * t_end, t_end};
  control_ = make_control(p, t_end, run_eps);
  surface_ = reference::curvature::integrate(p, t_end, 1e-11).u;
  of_control_ = judge_control(p, control_, t_end, run_eps);
  plain_ = reference::curvature::adaptive(p, times_, {.eps = run_eps, .method = method},
                                          reference::curvature::stable_step(p) / 2);
}

std::vector<checkers::finding> run_expectation::judge(const std::vector<double>& surface, const merson& m,
                                                      precision arithmetic) const {
  const double u = checkers::unit_roundoff(arithmetic);
  const auto steps = static_cast<double>(m.accepted);
  std::vector<checkers::finding> findings{
      {"max_error", checkers::largest_distance(surface, surface_),
       steps * (run_eps + 128 * u * checkers::largest_magnitude(surface_)),
       "each accepted step errs by less than eps, and the flow does not amplify errors: steps times eps and "
       "rounding"}};
  // In single precision the error estimate is mostly rounding, and with it the choice of the step.
  if (arithmetic == precision::double_)
    findings.push_back({"step_count",
                        step_distance(m.accepted + m.rejected, plain_.accepted + plain_.rejected), .05,
                        "at the limit of stability rounding decides which steps are rejected: 5 %"});
  findings.push_back(of_control_);
  return findings;
}

std::string failure_of(const merson& m) {
  switch (m.state) {
    case ending::running:
    case ending::reached:
      return "";
    case ending::step_underflow:
      return fmt::format(
          "unstable at t = {:.6g}: the step shrank to {:.2g} after {} accepted and {} rejected", m.t,
          m.wanted, m.accepted, m.rejected);
    case ending::too_many_steps:
      return fmt::format("unstable at t = {:.6g}: {} accepted and {} rejected steps did not reach {:.6g}",
                         m.t, m.accepted, m.rejected, m.t_end);
  }
  return "";
}

std::vector<checkers::finding> verify(reprise::curvature::solver& s, const stepwise_expectation& e,
                                      precision arithmetic) {
  s.reset(reprise::curvature::fixed_steps(e.tau()));
  // Advances in two calls, so that buffers left in the wrong order are found.
  s.advance(e.tau());
  const merson m = s.advance(stepwise_expectation::steps * e.tau());
  return e.judge(s.surface(), m, arithmetic);
}

std::vector<checkers::finding> verify(reprise::curvature::solver& s, const run_expectation& e,
                                      precision arithmetic) {
  s.reset(e.control());
  merson m;
  for (double t : e.sample_times()) m = s.advance(t);
  return e.judge(s.surface(), m, arithmetic);
}

}  // namespace reprise::verification::curvature
