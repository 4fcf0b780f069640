// SPDX-License-Identifier: MIT
// What a right atrium answer is.
#include "verification/atrium_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "verification/checkers/trajectory.hpp"

namespace reprise::verification::atrium {
namespace {

using namespace reprise::atrium;
using state_of_cells = std::vector<cell_state>;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double unit_roundoff(precision arithmetic) {
  return arithmetic == precision::single ? std::numeric_limits<float>::epsilon() / 2
                                         : std::numeric_limits<double>::epsilon() / 2;
}

// The largest distance of a variable over its scale. NaN where the lengths differ or something is not a
// number.
double distance(const state_of_cells& a, const state_of_cells& b, const cell_state& scale) {
  if (a.size() != b.size()) return not_a_number;
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k)
    for (std::size_t n = 0; n < variables; ++n) {
      const double here = std::abs(a[k][n] - b[k][n]) / scale[n];
      if (!(here <= most)) most = here;
      if (std::isnan(most)) return most;
    }
  return most;
}

cell_state scale_of(const state_of_cells& y) {
  cell_state scale{};
  for (const cell_state& cell : y)
    for (std::size_t n = 0; n < variables; ++n) scale[n] = std::max(scale[n], std::abs(cell[n]));
  return scale;
}

double voltage_distance(const state_of_cells& a, const state_of_cells& b) {
  cell_state only_voltage;
  only_voltage.fill(std::numeric_limits<double>::infinity());
  only_voltage[at_v] = 1;
  return distance(a, b, only_voltage);
}

double step_of(gate_rule rule) {
  return rule == gate_rule::plain ? .004 : .03;
}

std::vector<checkers::curve> curves_of(const recording& r) {
  const std::size_t cells = r.t.empty() ? 0 : r.v.size() / r.t.size();
  std::vector<checkers::curve> curves(cells);
  for (std::size_t k = 0; k < cells; ++k) {
    curves[k].t = r.t;
    for (std::size_t n = 0; n < r.t.size(); ++n) curves[k].v.push_back(r.v[n * cells + k]);
  }
  return curves;
}

// A maximum that a NaN does not hide from.
void raise(double& most, double value) {
  if (!(value <= most)) most = value;
}

}  // namespace

stepwise_expectation::stepwise_expectation(const problem& p, scheme method, gate_rule rule)
    : method_(method),
      rule_(rule),
      reference_(reference::atrium::steps(p, method, rule, step_of(rule), steps)),
      scale_(scale_of(reference_.y)) {
  constexpr double small = 1e-7;
  problem disturbed = p;
  for (std::size_t k = 0; k < p.cells(); ++k)
    for (std::size_t n = 0; n < variables; ++n)
      disturbed.state0[k][n] *= (k + n) % 2 == 0 ? 1 + small : 1 - small;
  const auto moved = reference::atrium::steps(disturbed, method, rule, step_of(rule), steps);
  growth_ = distance(moved.y, reference_.y, scale_) / small;
}

control stepwise_expectation::control() const {
  return fixed_steps(method_, rule_, step_of(rule_));
}

std::vector<checkers::finding> stepwise_expectation::judge(const state_of_cells& state, const progress& s,
                                                           precision arithmetic) const {
  const double limit = 32 * steps * unit_roundoff(arithmetic) * std::max(1., growth_);
  const double reached = std::abs(s.t - steps * step_of(rule_));
  return {{"max_relative_error", distance(state, reference_.y, scale_), limit,
           "a step rounds some hundred operations and some sixty exponentials a cell, and multiplies what is "
           "there as it multiplies a disturbance of the initial state: 32 u a step times that"},
          {"error_estimate", std::abs(s.error - reference_.error) / scale_[at_v], limit,
           "e is a sum of the same slopes, so it rounds like the state"},
          {"time_reached", reached, 1e-12, "times are multiples of the step in double precision"}};
}

run_expectation::run_expectation(scheme pair)
    : problem_(
          sphere_problem(2, {{{.start = 1, .length = 2, .strength = 40, .axis = 2, .from_share = .9}}, 6})) {
  const double t_end = problem_.what.t_end;
  control_ = adaptive_steps(pair, gate_rule::rush_larsen, .1, .01, t_end);
  control_.record_every = 1;
  plain_ =
      reference::atrium::adaptive(problem_, pair, gate_rule::rush_larsen, control_.at, control_.rt, t_end);
}

std::vector<checkers::finding> run_expectation::judge(const state_of_cells& state, const recording& recorded,
                                                      const progress& s, precision arithmetic) const {
  const bool is_single = arithmetic == precision::single;
  const trajectory_errors e = errors_of(recorded, plain_.recorded);
  const auto taken = static_cast<double>(s.accepted + s.rejected);
  const auto expected = static_cast<double>(plain_.accepted + plain_.rejected);
  const double limit = is_single ? .5 : 1e-5;
  const std::string reason =
      is_single ? "in single precision a step near the tolerance may be accepted here and not there, which "
                  "moves the following ones: a tenth of a front that rises 200 mV in a millisecond"
                : "the same method takes the same steps; the front and the switch of the calcium store "
                  "magnify rounding by about 1e10";
  return {{"voltage_error", voltage_distance(state, plain_.y), limit, reason},
          {"interpolated_error", e.absolute, limit, reason},
          {"step_count", std::abs(taken - expected) / expected, is_single ? .05 : 0,
           is_single ? "steps near the tolerance may fall on either side: 5 %" : "the same steps"}};
}

std::shared_ptr<const stepwise_expectation> expect_steps(int subdivisions, scheme method, gate_rule rule) {
  static std::map<std::tuple<int, scheme, gate_rule>, std::shared_ptr<const stepwise_expectation>> kept;
  auto& e = kept[{subdivisions, method, rule}];
  if (!e) e = std::make_shared<const stepwise_expectation>(skew_problem(subdivisions), method, rule);
  return e;
}

std::shared_ptr<const run_expectation> expect_run(scheme pair) {
  static std::map<scheme, std::shared_ptr<const run_expectation>> kept;
  auto& e = kept[pair];
  if (!e) e = std::make_shared<const run_expectation>(pair);
  return e;
}

std::vector<checkers::finding> verify(solver& s, const stepwise_expectation& e, precision arithmetic) {
  const control c = e.control();
  s.reset(c);
  // In two parts, which tells apart buffers left in the wrong order.
  s.advance(c.dt);
  const progress end = s.advance(stepwise_expectation::steps * c.dt);
  return e.judge(s.state(), end, arithmetic);
}

std::vector<checkers::finding> verify(solver& s, const run_expectation& e, precision arithmetic) {
  s.load(e.problem(), arithmetic);
  s.reset(e.control());
  const progress end = s.advance(e.problem().what.t_end);
  return e.judge(s.state(), s.recorded(), end, arithmetic);
}

trajectory_errors errors_of(const recording& answer, const recording& reference) {
  constexpr double spacing = .05;
  constexpr double window = 10;  // ms
  constexpr double threshold = -40;
  constexpr double rest = -60;
  const auto mine = curves_of(answer);
  const auto theirs = curves_of(reference);
  if (mine.size() != theirs.size() || mine.empty())
    return {not_a_number, not_a_number, not_a_number, not_a_number, not_a_number, not_a_number};
  trajectory_errors most;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    const auto e = checkers::interpolation_error(mine[k], theirs[k], window);
    raise(most.rrms, checkers::rrms(mine[k], theirs[k], spacing));
    raise(most.absolute, e.absolute);
    raise(most.relative, e.relative);
    raise(most.peak_safe, e.peak_safe);
    raise(most.peak_safe_relative, e.peak_safe_relative);
    raise(most.shift, checkers::activation_shift(mine[k], theirs[k], threshold, rest));
  }
  return most;
}

std::string failure_of(const problem& p, const progress& s) {
  switch (s.state) {
    case ending::running:
    case ending::reached:
      return "";
    case ending::not_a_number: {
      const std::string where =
          fmt::format("cell {} is no cell any more at t = {:.6g} ms", s.bad_cell, s.t + s.h);
      const double limit = diffusive_step_limit(p);
      if (s.how.is_adaptive || s.h < .9 * limit) return where;
      return fmt::format(
          "{}: the step {:.6g} ms is at or above the limit of stability, which diffusion alone "
          "sets to {:.4g} ms",
          where, s.how.dt, limit);
    }
    case ending::stagnated:
      return fmt::format(
          "stagnated at t = {:.6g} ms: the tolerances at = {:g}, rt = {:g} ask for steps below {:g} ms after "
          "{} accepted and {} rejected",
          s.t, s.how.at, s.how.rt, s.how.least_dt, s.accepted, s.rejected);
    case ending::too_many_steps:
      return fmt::format("stagnated at t = {:.6g} ms: {} accepted and {} rejected steps did not reach {:.6g}",
                         s.t, s.accepted, s.rejected, s.t_end);
  }
  return "";
}

}  // namespace reprise::verification::atrium
