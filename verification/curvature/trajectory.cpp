// SPDX-License-Identifier: MIT
// Repeats parts of a run from the solver's own state.
#include "verification/curvature/trajectory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "reference/curvature/manufactured.hpp"
#include "reference/curvature/paper.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::curvature {
namespace {

namespace reference = reprise::reference::curvature;
using checkers::finding;
using checkers::not_a_number;
using reprise::curvature::control;
using reprise::curvature::integrator;
using reprise::curvature::merson;
using reprise::curvature::problem;
using reprise::curvature::solver;

// The rounding of one attempt, in units of u and of the surface's size. An attempt rounds its argument, and
// tau times the scheme's largest eigenvalue, at most about four, multiplies that in every stage.
constexpr double roundings = 16;

// The largest forcing of the flow. Its closed forms add some hundred terms, so it rounds by as many u.
double largest_forcing(const problem& p) {
  if (p.boundary != reprise::curvature::boundary::manufactured) return 0;
  const auto of = [](reprise::curvature::flow motion) {
    return checkers::largest_magnitude(
        reference::forcing(problem{{motion, reprise::curvature::boundary::manufactured, 32, 32, 4}, {}}, 0));
  };
  static const double mean_curvature = of(reprise::curvature::flow::mean_curvature);
  static const double willmore = of(reprise::curvature::flow::willmore);
  return p.flow == reprise::curvature::flow::willmore ? willmore : mean_curvature;
}

reference::integration start_of(const moment& before) {
  return {.u = before.surface,
          .t = before.state.t,
          .wanted = before.state.wanted,
          .error = before.state.error,
          .accepted = before.state.accepted,
          .rejected = before.state.rejected,
          .evaluations = before.state.evaluations,
          .attempts = {}};
}

// What rounding does to the surface and to the next step, relative to each.
struct uncertainty {
  double surface{};
  double step{};
  bool is_decided{true};  // rounding could turn no decision around
};

// The factor of a disturbance in the highest mode: Merson's polynomial at z = -x; less than one by the Chebyshev
// method, which has as many stages as it needs.
double amplification(double x, integrator method) {
  if (method == integrator::chebyshev) return 1;
  return std::abs(1 - x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 6)))));
}

// The factor of a rounding in the surface and in e. The stages of the Chebyshev method multiply a rounding by about x,
// and e weighs the rate at the end with the step, which multiplies it by x once more.
double growth_of_rounding(double x, integrator method) {
  return method == integrator::chebyshev ? (1 + x) * (1 + x) : 1 + std::pow(x, 5) / 720;
}

// A step beyond the limit of stability amplifies the roundings of the steps before it, and its e multiplies them by
// |z|^5/720. The step follows the fifth root of e. A step that is longer by a part errs by five times this
// part more, so that an attempt does not forget the uncertainty of the one before.
uncertainty uncertainty_of(const problem& p, const reference::integration& run, const reference::rules& r,
                           double scale, precision arithmetic) {
  uncertainty all;
  const double stable = reference::stable_step(p);
  const double forced = largest_forcing(p) / scale;
  const double phase = 1 + 4 * run.t;  // rounding of cos(pi t)
  for (const reference::attempted& a : run.attempts) {
    const double x = 3.5483 * a.tau / stable;
    const double growth = growth_of_rounding(x, r.method);
    const double unit = roundings * checkers::unit_roundoff(arithmetic) * (1 + forced * phase * a.tau);
    const double noise = unit * scale * growth;
    if (a.is_accepted)
      all.surface = all.surface * checkers::larger(1, amplification(x, r.method)) + unit * growth;
    all.step += 8 * checkers::unit_roundoff(precision::double_);
    if (a.sets_step) all.step += noise / checkers::larger(a.error, noise);
    if (std::abs(a.error - r.eps) <= 2 * noise) all.is_decided = false;
  }
  return all;
}

double difference_of_counts(const merson& m, const reference::integration& run, double stop) {
  const auto apart = [](long long a, long long b) { return static_cast<double>(std::abs(a - b)); };
  return apart(m.accepted, run.accepted) + apart(m.rejected, run.rejected) +
         apart(m.evaluations, run.evaluations) + (m.t == stop ? 0 : 1);
}

}  // namespace

std::vector<finding> judge_stretch(const problem& p, const control& given, const moment& before,
                                   std::span<const double> stops, const moment& after, precision arithmetic,
                                   const stretch_metrics& metrics, integrator method) {
  reference::integration run = start_of(before);
  const reference::rules r{.eps = given.eps, .method = method};
  for (const double stop : stops)
    if (reference::advance(p, run, stop, r) != reference::ending::reached)
      return {{metrics.surface, not_a_number, 0, "the reference cannot go on from the solver's own state"}};
  const double scale = checkers::largest_magnitude(run.u);
  const uncertainty u = uncertainty_of(p, run, r, scale, arithmetic);
  // e resolves nothing finer than a hundredth of eps if rounding is a visible part of it.
  const bool is_resolved = roundings * checkers::unit_roundoff(arithmetic) * scale < .01 * given.eps;
  const double of_steps =
      is_resolved && u.is_decided ? 0 : 2 * given.eps / scale * static_cast<double>(run.attempts.size());
  std::vector<finding> findings{{metrics.surface, checkers::largest_distance(after.surface, run.u) / scale,
                                 u.surface + of_steps,
                                 "from the solver's own state: 16 u for each accepted step, as later ones "
                                 "amplify it, and where rounding chooses the steps two "
                                 "tolerances more for each attempt"}};
  if (!is_resolved || !u.is_decided) return findings;
  findings.push_back({metrics.control, std::abs(after.state.wanted - run.wanted) / run.wanted, u.step,
                      "the next step follows the fifth root of e, which rounds by 16 u of the surface"});
  findings.push_back({metrics.count, difference_of_counts(after.state, run, stops.back()), 0,
                      "no error was so near to the tolerance that rounding could turn its decision"});
  return findings;
}

std::vector<finding> verify_sequence(solver& s, const problem& p, precision arithmetic) {
  // e must be far above rounding, so that each decision can be repeated. The forced solution is smooth, so that
  // only a coarse tolerance leads the step to the limit of stability, where attempts are rejected.
  const bool is_coarse =
      arithmetic == precision::single || p.boundary == reprise::curvature::boundary::manufactured;
  // The Chebyshev method is stable at any step, and rejects only those with too large an error.
  const double too_long = s.method() == integrator::merson ? 3 : 100;
  const control given{.eps = is_coarse ? 2e-3 : 1e-6,
                      .first_step = too_long * reference::stable_step(p),
                      .fixed_steps = false,
                      .most_attempts = 10'000};  // ten times as many as any right solver needs
  constexpr std::array<double, 5> parts{1.02, .7, 1.02, 3.5, 1.02};
  constexpr std::size_t stops = 50;
  s.reset(given);
  merson m = s.advance(0);
  moment before{m, s.surface()};
  std::vector<finding> all;
  for (std::size_t n = 0; n < stops; ++n) {
    const double stop = m.t + parts[n % parts.size()] * m.wanted;
    m = s.advance(stop);
    const moment after{m, s.surface()};
    const auto found =
        judge_stretch(p, given, before, std::array{stop}, after, arithmetic, sequence_metrics, s.method());
    checkers::append(all, found);
    if (!checkers::all_good(found)) break;
    before = after;
  }
  std::vector<finding> worst = checkers::worst_of_each(all);
  const bool is_telling = m.accepted + m.rejected >= 60 && m.rejected >= 3;
  worst.push_back({"sequence_blindness", is_telling ? 0.0 : 1.0, 0,
                   "fewer than 60 attempts or 3 rejected ones would not show the controller"});
  return worst;
}

namespace {

// The rules, the problem and one stop that leave the solver in a known ending.
struct guard {
  problem of;
  control given;
  double stop;
  double tolerance{1e-12};  // of the next step, where the error has no rounding
};

finding judge_guard(solver& s, const guard& g, precision arithmetic) {
  s.load(g.of, arithmetic);
  s.reset(g.given);
  const merson m = s.advance(g.stop);
  reference::integration run;
  run.u = g.of.u0;
  run.wanted = g.given.first_step;
  const reference::rules r{.eps = g.given.eps, .most_attempts = g.given.most_attempts, .method = s.method()};
  const auto ended = reference::advance(g.of, run, g.stop, r);
  using reprise::curvature::ending;
  const ending expected = ended == reference::ending::reached          ? ending::reached
                          : ended == reference::ending::step_underflow ? ending::step_underflow
                                                                       : ending::too_many_steps;
  const bool is_same = m.state == expected && m.accepted == run.accepted && m.rejected == run.rejected &&
                       m.evaluations == run.evaluations && m.t == run.t;
  // An error of zero, or one that is not a number, has no rounding.
  const bool is_rounded = run.error > 0 && std::isfinite(run.error);
  const double scale = checkers::largest_magnitude(g.of.u0);
  const double limit = is_rounded ? uncertainty_of(g.of, run, r, scale, arithmetic).step : g.tolerance;
  return {"guard_error", is_same ? std::abs(m.wanted - run.wanted) / run.wanted : not_a_number, limit,
          "what a run without error, without a number, without a chance or without patience ends with"};
}

// A step that is fixed cannot be shortened, so the run ends with the first attempt that gives no number.
finding judge_fixed_guard(solver& s, const problem& p, control given, precision arithmetic) {
  given.fixed_steps = true;
  s.load(p, arithmetic);
  s.reset(given);
  const merson m = s.advance(2 * given.first_step);
  const bool is_ended = m.state == reprise::curvature::ending::step_underflow && m.accepted == 0 &&
                        m.rejected == 1 && m.wanted == 0;
  return {"guard_error", is_ended ? 0 : not_a_number, 0, "a fixed step without a number ends the run"};
}

}  // namespace

std::vector<finding> verify_guards(solver& s, reprise::curvature::flow motion, precision arithmetic) {
  using reprise::curvature::boundary;
  const problem p = skew_problem(motion, boundary::neumann, 9, 7);
  const double stable = reference::stable_step(p);
  problem flat = p;
  flat.u0.assign(flat.nodes(), .75);
  const auto inside = static_cast<std::size_t>(4 + 3 * p.nodes_x());
  problem hole = p;
  hole.u0[inside] = not_a_number;
  problem endless = p;
  endless.u0[inside] = std::numeric_limits<double>::infinity();
  const control usual{.eps = 1e-6, .first_step = stable, .fixed_steps = false, .most_attempts = 1000};
  control impatient = usual;
  impatient.most_attempts = 1;
  impatient.first_step = 3 * stable;
  control severe = impatient;
  severe.eps = 1e-45;  // eps/e is below what a power in single precision can hold
  std::vector<finding> all{judge_guard(s, {flat, usual, 2 * stable}, arithmetic),
                           judge_guard(s, {hole, usual, 2 * stable}, arithmetic),
                           judge_fixed_guard(s, hole, usual, arithmetic),
                           judge_guard(s, {endless, usual, 2 * stable}, arithmetic),
                           judge_guard(s, {p, impatient, 20 * stable}, arithmetic),
                           judge_guard(s, {p, severe, 20 * stable}, arithmetic)};
  if (s.method() == integrator::chebyshev) {
    // Longer than the largest number of stages reaches. The limit follows from the radius, which is a difference of
    // rates over a disturbance of 1e-7.
    control long_step = usual;
    long_step.first_step = 1e6 * stable;
    constexpr double of_radius = 1e-8;
    all.push_back(judge_guard(s, {flat, long_step, 2e5 * stable, of_radius}, arithmetic));
  }
  return checkers::worst_of_each(all);
}

}  // namespace reprise::verification::curvature
