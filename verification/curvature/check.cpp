// SPDX-License-Identifier: MIT
// Checks answers of curvature solvers.
#include "verification/curvature/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

namespace reprise::verification::curvature {
namespace {

using reprise::curvature::ending;
using reprise::curvature::merson;
using reprise::curvature::problem;

double unit_roundoff(precision arithmetic) {
  return arithmetic == precision::single ? std::numeric_limits<float>::epsilon() / 2
                                         : std::numeric_limits<double>::epsilon() / 2;
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (double value : values) most = std::max(most, std::abs(value));
  return most;
}

// NaN if the lengths differ or a value is NaN.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double here = std::abs(a[i] - b[i]);
    if (!(here <= most)) most = here;
    if (std::isnan(most)) break;
  }
  return most;
}

double step_distance(long long a, long long b) {
  return std::abs(static_cast<double>(a - b)) / std::max(1.0, static_cast<double>(b));
}

constexpr double run_eps = 1e-6;

}  // namespace

stepwise_expectation::stepwise_expectation(const problem& p)
    : tau_(.8 * largest_stable_step(p)), reference_(reference::curvature::merson_steps(p, tau_, steps)) {
  constexpr double small = 1e-7;
  problem disturbed = p;
  for (std::size_t i = 0; i < disturbed.u0.size(); ++i) disturbed.u0[i] += i % 2 == 0 ? small : -small;
  growth_ = distance(reference::curvature::merson_steps(disturbed, tau_, steps).u, reference_.u) / small;
}

std::vector<checkers::finding> stepwise_expectation::judge(const std::vector<double>& surface,
                                                           const merson& m, precision arithmetic) const {
  const double scale = largest(reference_.u);
  const double limit = 128 * steps * unit_roundoff(arithmetic) * std::max(1.0, growth_);
  return {
      {"max_relative_error", distance(surface, reference_.u) / scale, limit,
       "below the limit of stability a step multiplies no rounding, and its five stages round some hundred "
       "operations on terms of the surface's size: 128 u a step"},
      {"error_estimate", std::abs(m.error - reference_.error) / scale, limit,
       "e is a sum of the same stages, so it rounds like the surface"}};
}

std::shared_ptr<const stepwise_expectation> expect_steps(const problem& p) {
  struct entry {
    problem of;
    std::shared_ptr<const stepwise_expectation> value;
  };
  static std::deque<entry> kept;
  for (const entry& e : kept)
    if (e.of.flow == p.flow && e.of.boundary == p.boundary && e.of.cells_x == p.cells_x &&
        e.of.cells_y == p.cells_y && e.of.u0 == p.u0)
      return e.value;
  constexpr std::size_t most_kept = 4;
  if (kept.size() == most_kept) kept.pop_front();
  kept.push_back({p, std::make_shared<const stepwise_expectation>(p)});
  return kept.back().value;
}

run_expectation::run_expectation(const problem& p) {
  const double t_end = 24 * largest_stable_step(p);
  // An end time that is no multiple of a step, with one stop before it.
  times_ = {.37 * t_end, t_end};
  control_ = make_control(p, t_end, run_eps);
  surface_ = reference::curvature::integrate(p, t_end, 1e-11).u;
  plain_ = reference::curvature::merson_adaptive(p, times_, control_.eps, control_.first_step);
}

std::vector<checkers::finding> run_expectation::judge(const std::vector<double>& surface, const merson& m,
                                                      precision arithmetic) const {
  const double u = unit_roundoff(arithmetic);
  const auto steps = static_cast<double>(m.accepted);
  std::vector<checkers::finding> findings{
      {"max_error", distance(surface, surface_), steps * (run_eps + 128 * u * largest(surface_)),
       "each accepted step errs by less than eps, and the flow does not amplify errors: steps times eps and "
       "rounding"}};
  // In single precision the error estimate is mostly rounding, and with it the choice of the step.
  if (arithmetic == precision::double_)
    findings.push_back({"step_count",
                        step_distance(m.accepted + m.rejected, plain_.accepted + plain_.rejected), .05,
                        "at the limit of stability rounding decides which steps are rejected: 5 %"});
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
