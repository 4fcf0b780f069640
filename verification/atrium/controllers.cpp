// SPDX-License-Identifier: MIT
// Makes sequences of attempts and compares their lengths, decisions and ends with the reference's.
#include "verification/atrium/controllers.hpp"

#include <cmath>

#include "reference/atrium/reference.hpp"
#include "verification/atrium/check.hpp"
#include "verification/atrium/states.hpp"
#include "verification/atrium/timed_run.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::verification::atrium {
namespace {

using namespace reprise::atrium;
using checkers::finding;

constexpr double t_end = 40;

// Twelve cells at rest, of which half are stimulated for a short time, twice.
problem excited_sphere() {
  return sphere_problem(0, {{{.start = .4, .length = .3, .strength = 60, .axis = 2, .from_share = 0},
                             {.start = 1.1, .length = .5, .strength = 40, .axis = 0, .from_share = 0}},
                            t_end});
}

control with_first_step(scheme pair, double at, double rt, double dt, long long attempts) {
  control c = adaptive_steps(pair, gate_rule::rush_larsen, at, rt, t_end);
  c.dt = dt;
  c.most_attempts = attempts;
  c.record_every = 1;
  return c;
}

double attempts_of(const progress& s) {
  return static_cast<double>(s.accepted + s.rejected);
}

// The samples of the start and after every accepted step, against those of the reference, mV. An error within rounding of
// one may be accepted or rejected.
double recorded_error(const recording& recorded, const between_steps& end, const problem& p) {
  const control& c = end.at.control;
  const std::size_t columns = p.recorded.size();
  double least = checkers::not_a_number;
  for (double accepted_error : {1., .99, 1.01}) {
    const recording expected =
        reference::atrium::continued(p, {c.method, c.gates, true, c.dt, c.at, c.rt}, {p.state0, 0, c.dt},
                                     t_end, static_cast<long>(attempts_of(end.at)),
                                     {reference::atrium::sodium_jump, accepted_error})
            .recorded;
    if (recorded.v.size() != expected.v.size() + columns) continue;
    double most = 0;
    for (std::size_t k = 0; k < columns; ++k)
      checkers::raise(most,
                      std::abs(recorded.v[k] - p.state0[static_cast<std::size_t>(p.recorded[k])][at_v]));
    for (std::size_t n = 0; n < expected.v.size(); ++n)
      checkers::raise(most, std::abs(recorded.v[n + columns] - expected.v[n]));
    if (std::isnan(least) || most < least) least = most;
  }
  return least;
}

finding judge_recorded(const recording& recorded, const between_steps& end, const problem& p,
                       bool is_single) {
  return {"attempted_voltage", recorded_error(recorded, end, p), is_single ? .5 : 1e-5,
          "all recorded voltages, in mV, are those of the reference's attempts, whose lengths round too"};
}

between_steps attempted(solver& s, const control& c) {
  s.reset(c);
  const progress end = s.advance(t_end);
  return {end, s.state()};
}

// With a tolerance that no step meets, the least step is chosen so close to one of the lengths tried that a
// percent decides between giving up and going on.
// The cells are far from rest, so that both attempts fail by far more than rounding could change.
finding judge_stagnation(solver& s, scheme pair, precision arithmetic) {
  const problem p = covering_problem(0, gate_rule::rush_larsen);
  s.load(p, arithmetic);
  constexpr double impossible = 1e-13;
  constexpr long tried = 2;
  control c = with_first_step(pair, impossible, 0, .3, 1000);
  const auto last = reference::atrium::continued(p, {pair, gate_rule::rush_larsen, true, 0, c.at, c.rt},
                                                 {p.state0, 0, c.dt, 0, 0, 0}, t_end, tried);
  c.least_dt = 1.005 * last.wanted;
  const progress early = attempted(s, c).at;
  c.least_dt = .995 * last.wanted;
  const progress later = attempted(s, c).at;
  double wrong = std::abs(attempts_of(early) - tried);
  checkers::raise(wrong, early.state == ending::stagnated ? 0. : 1.);
  checkers::raise(wrong, attempts_of(later) > tried ? 0. : 1.);
  return {"stagnation", wrong, 0,
          "a run stagnates where the next step is below the least one, and only there"};
}

finding judge_attempts_made(const progress& s) {
  double wrong = std::abs(attempts_of(s) - static_cast<double>(s.control.most_attempts));
  checkers::raise(wrong, s.state == ending::too_many_steps ? 0. : 1.);
  return {"attempts_made", wrong, 0, "a run is given up after the attempts that it is given"};
}

}  // namespace

std::vector<finding> verify_controller(solver& s, scheme pair, precision arithmetic) {
  const problem p = excited_sphere();
  s.load(p, arithmetic);
  const bool is_single = arithmetic == precision::single;
  std::vector<finding> all;
  // The first step is rejected and shrinks by the most it may; one of the sequences begins with a step that
  // leaves no cells, the other with one that grows by the most it may.
  for (const control& c :
       {with_first_step(pair, is_single ? .1 : 1e-3, is_single ? .01 : 1e-5, 3, is_single ? 24 : 80),
        with_first_step(pair, is_single ? .3 : 1e-2, 0, .3, is_single ? 24 : 80),
        with_first_step(pair, is_single ? .1 : 1e-2, 1e-4, 1e-5, is_single ? 24 : 80)}) {
    const run_window w{start_of(p, c), attempted(s, c)};
    for (const finding& f :
         judge_attempts(w, p, arithmetic, {"attempted_state", "attempted_step", "attempted_count"}))
      all.push_back(f);
    all.push_back(judge_attempts_made(w.after.at));
    const recording recorded = s.recorded();
    all.push_back(judge_recorded(recorded, w.after, p, is_single));
    all.push_back(judge_last_sample(w.after.y, recorded, w.after.at));
  }
  all.push_back(judge_stagnation(s, pair, arithmetic));
  return all;
}

}  // namespace reprise::verification::atrium
