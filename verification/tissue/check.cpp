// SPDX-License-Identifier: MIT
// Checks answers of tissue solvers.
#include "verification/tissue/check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::tissue {
namespace {

using reprise::tissue::method;
using reprise::tissue::problem;
using state = reference::tissue::state;

// |u| stays far below this in all models: rest, excitation and overshoot lie within 4.
constexpr double wildest = 100;

}  // namespace

double distance(const state& a, const state& b) {
  if (a.size() != b.size()) return checkers::not_a_number;
  double worst = 0;
  for (std::size_t f = 0; f < a.size(); ++f) {
    const double most = checkers::largest_distance(a[f], b[f]);
    const double scale = checkers::largest_magnitude(b[f]);
    if (!std::isfinite(most) || !std::isfinite(scale)) return checkers::not_a_number;
    checkers::raise(worst, scale > 0 ? most / scale : most);
  }
  return worst;
}

expectation::expectation(const problem& p, method m, double dt, long steps)
    : steps_(steps),
      stages_(reprise::tissue::stages_of(m)),
      reference_(reference::tissue::steps(p, m, dt, steps)) {}

checkers::finding judge_distance(const std::string& metric, const state& answer, const state& expected,
                                 long evaluations, precision arithmetic) {
  const double u = checkers::unit_roundoff(arithmetic);
  return {metric, distance(answer, expected), 64 * u * (1 + static_cast<double>(evaluations)),
          "below the limit of stability an evaluation rounds some hundred operations on terms of the fields' "
          "size, of which a step keeps a part: 64 u"};
}

checkers::finding judge_calls(const std::string& metric, const state& answer, const state& expected,
                              double growth, precision arithmetic) {
  const double u = checkers::unit_roundoff(arithmetic);
  return {metric, distance(answer, expected), 64 * u * growth,
          "long calls and short ones make the same operations, so they differ only where a compiler rounds "
          "one kernel otherwise than another; at random, the roundings of a thousand steps add up to the "
          "root of their number: twice that, 64 u, times the growth of a disturbance"};
}

problem shifted(problem p, double shift) {
  for (std::vector<double>& field : p.state0) {
    const double scale = checkers::largest_magnitude(field);
    for (double& value : field) value += shift * (scale > 0 ? scale : 1);
  }
  return p;
}

std::vector<checkers::finding> expectation::judge(const state& answer, precision arithmetic) const {
  return {judge_distance("max_relative_error", answer, reference_, steps_ * stages_, arithmetic)};
}

std::shared_ptr<const expectation> expect_steps(const problem& p, method m, double dt, long steps) {
  struct entry {
    problem of;
    tissue::method method;
    double dt;
    long steps;
    std::shared_ptr<const expectation> value;
  };
  static std::deque<entry> kept;
  for (const entry& e : kept)
    if (e.method == m && e.dt == dt && e.steps == steps && e.of.model == p.model && e.of.nx == p.nx &&
        e.of.ny == p.ny && e.of.dx == p.dx && e.of.border == p.border && e.of.form == p.form &&
        e.of.steepness == p.steepness && e.of.has_sharp_constants == p.has_sharp_constants &&
        e.of.replaces_tanh == p.replaces_tanh && e.of.state0 == p.state0)
      return e.value;
  constexpr std::size_t most_cells = 1 << 22;
  std::size_t cells = p.cells();
  for (const entry& e : kept) cells += e.of.cells();
  for (; !kept.empty() && cells > most_cells; kept.pop_front()) cells -= kept.front().of.cells();
  kept.push_back({p, m, dt, steps, std::make_shared<const expectation>(p, m, dt, steps)});
  return kept.back().value;
}

std::vector<checkers::finding> verify(reprise::tissue::solver& s, const expectation& e,
                                      precision arithmetic) {
  s.reset();
  // Steps in up to three calls, so that buffers left in the wrong order are found. The second
  // call is at least one full launch. If there is a third, both exchange values on chip, and
  // neither may read the other's.
  const long second =
      checkers::smaller(e.steps() - 1, checkers::larger(e.steps_at_once(), (e.steps() - 1) / 2));
  for (long part : {1L, second, e.steps() - 1 - second})
    if (part > 0) s.step(part);
  return e.judge(s.state(), arithmetic);
}

checkers::finding judge_steps(const std::string& metric, problem p, method m, double dt, const state& before,
                              long steps, const state& after, precision arithmetic) {
  p.state0 = before;
  checkers::finding found = expectation(p, m, dt, steps).judge(after, arithmetic).front();
  found.metric = metric;
  return found;
}

std::string failure_of(const problem& p, const state& z, double t) {
  for (const std::vector<double>& field : z)
    for (std::size_t c = 0; c < field.size(); ++c)
      if (!(std::abs(field[c]) <= wildest))
        return fmt::format("unstable at t = {:.4g}: {:.3g} in cell ({}, {})", t, field[c],
                           c % static_cast<std::size_t>(p.nx), c / static_cast<std::size_t>(p.nx));
  return "";
}

}  // namespace reprise::verification::tissue
