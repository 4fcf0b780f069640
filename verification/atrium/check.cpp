// SPDX-License-Identifier: MIT
// Checks answers of atrium solvers.
#include "verification/atrium/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "verification/atrium/distances.hpp"
#include "verification/atrium/states.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"
#include "verification/checkers/trajectory.hpp"

namespace reprise::verification::atrium {
namespace {

using namespace reprise::atrium;
using checkers::not_a_number;
using checkers::raise;

// Sets the scale of all other variables to infinity, so that they do not count in a distance.
cell_state only(cell_state scale, bool (*is_meant)(std::size_t variable)) {
  for (std::size_t n = 0; n < variables; ++n)
    if (!is_meant(n)) scale[n] = std::numeric_limits<double>::infinity();
  return scale;
}

double voltage_distance(const state_of_cells& a, const state_of_cells& b) {
  cell_state unit;
  unit.fill(1);
  return distance(a, b, only(unit, [](std::size_t n) { return n == at_v; }));
}

bool jumps(std::size_t variable) {
  return variable == at_h || variable == at_j;
}

bool is_slow(std::size_t variable) {
  return variable >= first_concentration;
}

double step_of(gate_rule rule) {
  return rule == gate_rule::plain ? .004 : .03;
}

control recording_every(int steps, control c) {
  c.record_every = steps;
  return c;
}

std::vector<checkers::curve> curves_of(const recording& r) {
  // An incomplete recording has no curves.
  const std::size_t cells = r.t.empty() || r.v.size() % r.t.size() != 0 ? 0 : r.v.size() / r.t.size();
  std::vector<checkers::curve> curves(cells);
  for (std::size_t k = 0; k < cells; ++k) {
    curves[k].t = r.t;
    for (std::size_t n = 0; n < r.t.size(); ++n) curves[k].v.push_back(r.v[n * cells + k]);
  }
  return curves;
}

}  // namespace

stepwise_expectation::stepwise_expectation(const problem& p, scheme method, gate_rule rule)
    : stepwise_expectation(
          p, recording_every(1 + p.mesh.subdivisions % 2, fixed_steps(method, rule, step_of(rule))), steps) {}

stepwise_expectation::stepwise_expectation(const problem& p, const reprise::atrium::control& c, int count)
    : problem_(p),
      control_(c),
      count_(count),
      reference_(stepped(p, reference::atrium::sodium_jump)),
      scale_(scale_of(reference_.y)) {
  constexpr double small = 1e-7;
  problem disturbed = p;
  for (std::size_t k = 0; k < p.cells(); ++k)
    for (std::size_t n = 0; n < variables; ++n)
      disturbed.state0[k][n] *= (k + n) % 2 == 0 ? 1 + small : 1 - small;
  growth_ = distance_to(stepped(disturbed, reference::atrium::sodium_jump).y, 4 * small) / small;
}

reference::atrium::stepped stepwise_expectation::stepped(const problem& from, double jump) const {
  return reference::atrium::steps(from, control_.method, control_.gates, control_.dt, count_, jump);
}

// If a stage's voltage is within rounding of the jump in the rates of h and j, either side is
// right. A cell that exceeds the tolerance is therefore also compared with references whose jump is
// higher or lower by the tolerance.
template <class Distance>
double stepwise_expectation::distance_of_all(std::size_t count, double tolerance,
                                             Distance distance_to) const {
  double plain = 0;
  for (std::size_t k = 0; k < count; ++k) raise(plain, distance_to(k, reference_));
  if (!(plain > tolerance)) return plain;
  const double shift = tolerance * scale_[at_v];
  const auto below = stepped(problem_, reference::atrium::sodium_jump - shift);
  const auto above = stepped(problem_, reference::atrium::sodium_jump + shift);
  double most = 0;
  for (std::size_t k = 0; k < count; ++k) {
    double least = distance_to(k, reference_);
    for (const auto* side : {&below, &above}) checkers::lower(least, distance_to(k, *side));
    raise(most, least);
  }
  return most;
}

double stepwise_expectation::distance_to(const state_of_cells& state, double tolerance) const {
  if (state.size() != problem_.cells()) return not_a_number;
  return distance_of_all(state.size(), tolerance,
                         [&](std::size_t k, const reference::atrium::stepped& expected) {
                           return cell_distance(state[k], expected.y[k], scale_);
                         });
}

double stepwise_expectation::distance_to(const recording& recorded, double tolerance) const {
  const std::size_t columns = problem_.recorded.size();
  const auto every = static_cast<std::size_t>(control_.record_every);
  const std::size_t samples = static_cast<std::size_t>(count_) / every + 1;
  if (recorded.t.size() != samples || recorded.v.size() != samples * columns) return not_a_number;
  return distance_of_all(columns, tolerance, [&](std::size_t k, const reference::atrium::stepped& expected) {
    double most = 0;
    for (std::size_t n = 0; n < samples; ++n)
      raise(most, std::abs(recorded.v[n * columns + k] - expected.recorded.v[n * every * columns + k]) /
                      scale_[at_v]);
    return most;
  });
}

// Before the first step only the initial state is rounded.
double stepwise_expectation::limit(precision arithmetic) const {
  const double u = checkers::unit_roundoff(arithmetic);
  return count_ == 0 ? u : 32 * count_ * u * checkers::larger(1, growth_);
}

std::vector<checkers::finding> stepwise_expectation::judge(const state_of_cells& state,
                                                           const recording& recorded, const progress& s,
                                                           precision arithmetic) const {
  auto all = judge_cells(state, recorded, s.t, arithmetic);
  all.push_back({"error_estimate", std::abs(s.error - reference_.error) / scale_[at_v], limit(arithmetic),
                 "e is a sum of the same slopes, so it rounds like the state"});
  const bool is_counted = s.accepted == count_ && s.rejected == 0 &&
                          s.evaluations == reference_.evaluations && s.state == ending::reached &&
                          s.bad_cell == -1;
  all.push_back({"progress_error", is_counted ? 0. : 1., 0,
                 "fixed steps are all accepted, have no bad cell, and evaluate each stage once"});
  return all;
}

std::vector<checkers::finding> stepwise_expectation::judge_cells(const state_of_cells& state,
                                                                 const recording& recorded, double t,
                                                                 precision arithmetic) const {
  double late = std::abs(t - end());
  for (std::size_t n = 0; n < recorded.t.size(); ++n)
    raise(late, std::abs(recorded.t[n] - static_cast<double>(n) * control_.record_every * control_.dt));
  return {{"max_relative_error", distance_to(state, limit(arithmetic)), limit(arithmetic),
           "a step rounds some hundred operations and some sixty exponentials a cell, and multiplies what is "
           "there as it multiplies a disturbance of the initial state: 32 u a step times that"},
          {"recorded_voltage", distance_to(recorded, limit(arithmetic)), limit(arithmetic),
           "the recorded cells, at the start and after every so many steps, round like the state"},
          {"time_reached", late, 1e-12, "times are multiples of the step in double precision"}};
}

run_expectation::run_expectation(scheme pair)
    : problem_(
          sphere_problem(2, {{{.start = 1, .length = 2, .strength = 40, .axis = 2, .from_share = .9}}, 6})) {
  const double t_end = problem_.protocol.t_end;
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
          judge_last_sample(state, recorded, s),
          {"time_reached", std::abs(s.t - problem_.protocol.t_end), 1e-12,
           "the end is given, in double precision"},
          {"step_count", std::abs(taken - expected) / expected, is_single ? .05 : 0,
           is_single ? "steps near the tolerance may fall on either side: 5 %" : "the same steps"}};
}

checkers::finding judge_last_sample(const state_of_cells& state, const recording& recorded,
                                    const progress& s) {
  const std::vector<int> columns = recorded_cells(state.size());
  const bool is_whole = recorded.t.size() == static_cast<std::size_t>(s.accepted) + 1 &&
                        recorded.v.size() == recorded.t.size() * columns.size() && recorded.t.back() == s.t;
  double apart = is_whole ? 0 : not_a_number;
  for (std::size_t k = 0; k < columns.size() && is_whole; ++k) {
    const double last = recorded.v[recorded.v.size() - columns.size() + k];
    raise(apart, std::abs(last - state[static_cast<std::size_t>(columns[k])][at_v]));
  }
  return {"last_sample", apart, 0, "there is a sample of each step, and the last one is the state"};
}

black_box_expectation::black_box_expectation(const problem& p)
    : problem_(p), exact_(reference::atrium::integrate(p, t_end, 1e-10)), scale_(scale_of(exact_.y)) {}

double black_box_expectation::recorded_error(const recording& recorded) const {
  constexpr std::size_t compared = 20;
  const std::size_t columns = problem_.recorded.size();
  const std::size_t samples = recorded.t.size();
  if (samples == 0 || recorded.v.size() != samples * columns) return not_a_number;
  std::vector<std::size_t> rows;
  std::vector<double> times;
  for (std::size_t n = 0; n <= compared; ++n) {
    rows.push_back((samples - 1) * n / compared);
    times.push_back(recorded.t[rows.back()]);
  }
  const recording exact = reference::atrium::integrate(problem_, t_end, 1e-10, times).recorded;
  double most = 0;
  for (std::size_t row : rows) {
    const auto at = std::find(exact.t.begin(), exact.t.end(), recorded.t[row]);
    if (at == exact.t.end()) return not_a_number;
    const auto there = static_cast<std::size_t>(at - exact.t.begin());
    for (std::size_t k = 0; k < columns; ++k)
      raise(most, std::abs(recorded.v[row * columns + k] - exact.v[there * columns + k]));
  }
  return most;
}

control black_box_expectation::control() {
  reprise::atrium::control c =
      adaptive_steps(scheme::black_box, gate_rule::plain, .001 * tolerance, tolerance, t_end);
  c.least_dt = 0;
  c.most_attempts = 100'000;
  c.record_every = 1;
  return c;
}

std::vector<checkers::finding> black_box_expectation::judge(const state_of_cells& state,
                                                            const recording& recorded,
                                                            const progress& s) const {
  const auto size = static_cast<double>(variables * state.size());
  const auto of = [&](bool (*is_meant)(std::size_t)) {
    return distance(state, exact_.y, only(scale_, is_meant));
  };
  return {{"voltage_and_gates_error", of([](std::size_t n) { return !is_slow(n) && !jumps(n); }),
           100 * tolerance * std::sqrt(size),
           "CVODE bounds the root mean square of all variables, so that one may err by the root of their "
           "number times the tolerance, in each of some hundred steps"},
          {"jumping_gates_error", of(jumps), 1e-5,
           "at -40 mV the rates of h and j jump, and a step that passes there notices it only if it is long"},
          {"concentration_error", of(is_slow), 1e-9,
           "they change by less than a thousandth of themselves, and so do their errors"},
          judge_last_sample(state, recorded, s),
          {"recorded_voltage", recorded_error(recorded), 100 * tolerance * std::sqrt(size) * scale_[at_v],
           "at some of the solver's own times, in mV; they err as the state does"},
          {"time_reached", std::abs(s.t - t_end), 1e-15, "the end is given, in double precision"}};
}

order_expectation::order_expectation() : problem_(single_cell_problem({{}, t_end})) {
  constexpr double upstroke = 1.6;
  problem_.state0[0][at_v] = -20;
  problem_.state0 = reference::atrium::integrate(problem_, upstroke, 1e-13).y;
  // In double its own rounding would be as large as that of the steps whose errors it measures.
  exact_ = reference::atrium::integrate_in_long_double(problem_, t_end, 1e-16);
}

std::vector<double> order_expectation::steps(scheme method, gate_rule rule) {
  const bool is_fifth_order =
      rule == gate_rule::plain && (method == scheme::fehlberg || method == scheme::cash_karp);
  constexpr double fewest = 60;
  const double ratio = is_fifth_order ? std::pow(2., 1. / 8) : 2;
  const int count = is_fifth_order ? 12 : 6;
  std::vector<double> all;
  for (int n = 0; n < count; ++n) all.push_back(t_end / std::round(fewest * std::pow(ratio, n)));
  return all;
}

order_expectation::errors order_expectation::errors_of(const state_of_cells& state) const {
  errors e{std::abs(state.at(0)[at_v] - exact_[at_v]), 0};
  for (std::size_t g = first_gate; g < first_concentration; ++g)
    raise(e.gates, std::abs(state[0][g] - exact_[g]));
  return e;
}

checkers::finding order_expectation::judge(scheme method, gate_rule rule, double dt,
                                           const state_of_cells& state) const {
  const long count = std::lround(t_end / dt);
  const auto exact = reference::atrium::steps(problem_, method, rule, dt, count);
  const double limit = 32 * static_cast<double>(count) * checkers::unit_roundoff(precision::double_);
  return {"timed_work_error", distance(state, exact.y, scale_of(exact.y)), limit,
          "the reference's steps from the same state; on a plateau a disturbance does not grow, and a step "
          "rounds "
          "some hundred operations: 32 u a step"};
}

std::shared_ptr<const stepwise_expectation> expect_steps(int subdivisions, scheme method, gate_rule rule) {
  static std::map<std::tuple<int, scheme, gate_rule>, std::shared_ptr<const stepwise_expectation>> kept;
  auto& e = kept[{subdivisions, method, rule}];
  if (!e)
    e = std::make_shared<const stepwise_expectation>(covering_problem(subdivisions, rule), method, rule);
  return e;
}

std::shared_ptr<const run_expectation> expect_run(scheme pair) {
  static std::map<scheme, std::shared_ptr<const run_expectation>> kept;
  auto& e = kept[pair];
  if (!e) e = std::make_shared<const run_expectation>(pair);
  return e;
}

std::shared_ptr<const black_box_expectation> expect_black_box(int subdivisions) {
  static std::map<int, std::shared_ptr<const black_box_expectation>> kept;
  auto& e = kept[subdivisions];
  if (!e) e = std::make_shared<const black_box_expectation>(covering_problem(subdivisions, gate_rule::plain));
  return e;
}

std::shared_ptr<const order_expectation> expect_order() {
  static const auto kept = std::make_shared<const order_expectation>();
  return kept;
}

std::vector<checkers::finding> verify(solver& s, const stepwise_expectation& e, precision arithmetic) {
  const control& c = e.control();
  // Runs with shorter steps and other samples first: reset must leave nothing of that run.
  control before = recording_every(3 - c.record_every, c);
  before.dt = c.dt / 2;
  s.reset(before);
  s.advance(before.dt);
  s.reset(c);
  // Advances in two calls, so that buffers left in the wrong order are found.
  s.advance(c.dt);
  const progress end = s.advance(e.end());
  return e.judge(s.state(), s.recorded(), end, arithmetic);
}

std::vector<checkers::finding> verify(solver& s, const run_expectation& e, precision arithmetic) {
  s.load(e.problem(), arithmetic);
  s.reset(e.control());
  const progress end = s.advance(e.problem().protocol.t_end);
  return e.judge(s.state(), s.recorded(), end, arithmetic);
}

std::vector<checkers::finding> verify(solver& s, const black_box_expectation& e) {
  s.reset(black_box_expectation::control());
  // Advances in two calls, so that a history spoilt by the interruption is found.
  s.advance(.4 * black_box_expectation::t_end);
  const progress end = s.advance(black_box_expectation::t_end);
  return e.judge(s.state(), s.recorded(), end);
}

std::vector<checkers::finding> verify(solver& s, int subdivisions, scheme method, gate_rule rule,
                                      precision arithmetic) {
  s.load(covering_problem(subdivisions, rule), arithmetic);
  if (method == scheme::black_box) return verify(s, *expect_black_box(subdivisions));
  return verify(s, *expect_steps(subdivisions, method, rule), arithmetic);
}

trajectory_errors errors_of(const recording& answer, const recording& reference) {
  constexpr double spacing = .05;
  constexpr double window = 10;  // ms
  constexpr double threshold = -40;
  constexpr double rest = -60;
  const auto mine = curves_of(answer);
  const auto theirs = curves_of(reference);
  if (mine.size() != theirs.size() || mine.empty())
    return {not_a_number, not_a_number, not_a_number, not_a_number,
            not_a_number, not_a_number, not_a_number, not_a_number};
  trajectory_errors most;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    const auto e = checkers::interpolation_error(mine[k], theirs[k], window);
    raise(most.rrms, checkers::rrms(mine[k], theirs[k], spacing));
    raise(most.absolute, e.absolute);
    raise(most.relative, e.relative);
    raise(most.peak_safe, e.peak_safe);
    raise(most.peak_safe_relative, e.peak_safe_relative);
    const double apart = checkers::curve_distance(mine[k], theirs[k]);
    raise(most.curve, apart);
    raise(most.curve_relative, apart / checkers::largest_magnitude(mine[k].v));
    raise(most.shift, checkers::activation_shift(mine[k], theirs[k], threshold, rest));
  }
  return most;
}

std::string failure_of(const problem& p, const progress& s) {
  switch (s.state) {
    case ending::running:
    case ending::paused:
    case ending::reached:
      return "";
    case ending::not_a_number: {
      std::string where = fmt::format("cell {} is no cell any more at t = {:.6g} ms", s.bad_cell, s.t + s.h);
      const double limit = diffusive_step_limit(p);
      if (s.control.is_adaptive || s.h < .9 * limit) return where;
      return fmt::format(
          "unstable: {}: the step {:.6g} ms is at or above the limit of stability, which diffusion alone "
          "sets to {:.4g} ms",
          where, s.control.dt, limit);
    }
    case ending::stagnated:
      return fmt::format(
          "stagnated at t = {:.6g} ms: the tolerances at = {:g}, rt = {:g} cannot be met with steps of {:g} "
          "ms "
          "or more, after {} accepted and {} rejected",
          s.t, s.control.at, s.control.rt, s.control.least_dt, s.accepted, s.rejected);
    case ending::too_many_steps:
      return fmt::format("stagnated at t = {:.6g} ms: {} accepted and {} rejected steps did not reach {:.6g}",
                         s.t, s.accepted, s.rejected, s.t_end);
  }
  return "";
}

}  // namespace reprise::verification::atrium
