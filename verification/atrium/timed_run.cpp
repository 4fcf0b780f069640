// SPDX-License-Identifier: MIT
// Pauses a run, and repeats the steps after each pause by the reference.
#include "verification/atrium/timed_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string>

#include "reference/atrium/reference.hpp"
#include "verification/atrium/check.hpp"
#include "verification/atrium/distances.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/parallel_maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::atrium {
namespace {

using namespace reprise::atrium;
using checkers::finding;
using checkers::larger;
using checkers::not_a_number;
using checkers::smaller;
using reference::atrium::continued;
using reference::atrium::decisions;
using reference::atrium::moment;
using reference::atrium::stepping;

constexpr int steps_of_window = 2;

// Three random moments and one shortly before the end, which leaves it a few steps.
control with_pauses(control c, double t_end, std::string_view seed) {
  std::seed_seq sequence(seed.begin(), seed.end());
  std::mt19937_64 random(sequence);
  const auto between = [&](double from, double to) {
    return t_end * std::uniform_real_distribution<double>(from, to)(random);
  };
  const double first = between(0, 1. / 3), second = between(1. / 3, .9), third = between(.9, .99);
  const double usual_step = c.gates == gate_rule::plain ? .005 : .05;
  const double last = t_end - (steps_of_window + .5) * (c.is_adaptive ? usual_step : c.dt);
  c.pause_count = most_pauses;
  c.pause_steps = steps_of_window;
  std::copy_n(std::array{first, second, third, last}.begin(), most_pauses, c.pauses);
  return c;
}

// Whether a step from one time to the other ends at or after a pause, and so begins a window.
bool begins_window(const control& c, double from, double to) {
  const std::span<const double> pauses(c.pauses, static_cast<std::size_t>(c.pause_count));
  return std::ranges::any_of(pauses, [&](double pause) { return from < pause && to >= pause; });
}

// Whether the reference can afford all steps of a run, some microseconds each for a cell. Where errors choose the
// steps, roundings that add up would choose others.
bool is_repeatable(const progress& end, std::size_t cells) {
  constexpr double most_steps_of_cells = 1e5;
  return !end.control.is_adaptive && end.control.method != scheme::black_box &&
         end.state == ending::reached &&
         static_cast<double>(end.accepted) * static_cast<double>(cells) <= most_steps_of_cells;
}

long attempts_of(const run_window& w) {
  return static_cast<long>(w.after.at.accepted + w.after.at.rejected - w.before.at.accepted -
                           w.before.at.rejected);
}

// Gates are shares of open channels. Where all cells rest, a share that is nearly zero has no effect, and no
// scale.
cell_state scale_in(const run_window& w) {
  constexpr double least_share = .05;
  cell_state scale = scale_of(w.before.y);
  for (std::size_t n = 0; n < variables; ++n) {
    const double floor = n >= first_gate && n < first_concentration ? least_share : 0;
    scale[n] = larger(scale[n], floor);
  }
  return scale;
}

// What is compared in a window: each part relative to its own limit.
struct parts {
  double state{};
  double step{};
  double count{};
};

class stepwise_window {
 public:
  stepwise_window(const problem& p, const run_window& w, precision arithmetic)
      : p_(p),
        w_(w),
        by_(stepping_of(w.before.at.control)),
        scale_(scale_in(w)),
        u_(checkers::unit_roundoff(arithmetic)),
        base_(32 * static_cast<double>(attempts_of(w)) * u_) {}

  std::vector<finding> findings(const window_metrics& called) const {
    const moment plain = steps_from(start(), {});
    parts found = compared({&plain, 1}), limit{base_, base_of_step(), 0};
    if (!is_within(found, limit)) {
      limit = limit_beside(plain);
      if (!is_within(found, limit)) found = nearest(plain, limit);
    }
    return {
        {called.state, found.state, limit.state,
         "the reference's attempts from the solver's own state; an attempt rounds as one of the first steps "
         "does, and multiplies what is there as it multiplies a disturbance: 32 u an attempt times that; a "
         "step that rounds moves the state by its own share"},
        {called.step, found.step, limit.step,
         "the time and the next step, relative to the step; the error estimate rounds like a voltage, 32 u "
         "of it over "
         "the tolerance"},
        {called.count, found.count, 0, "the same attempts are accepted"}};
  }

 private:
  static stepping stepping_of(const control& c) {
    return {c.method, c.gates, c.is_adaptive, c.dt, c.at, c.rt};
  }

  moment start() const { return {w_.before.y, w_.before.at.t, w_.before.at.wanted, 0, 0, 0}; }

  moment steps_from(const moment& from, const decisions& taken) const {
    return at_the_solvers_time(continued(p_, by_, from, w_.after.at.t_end, attempts_of(w_), taken));
  }

  // Where errors choose the steps, their rounding moves the end of a step by some units of the time, and a front changes
  // by more than its own rounding meanwhile. The times are compared by themselves; the states are compared at one time.
  moment at_the_solvers_time(moment end) const {
    constexpr double most = 1e-9;  // ms, far beyond what rounding explains
    const double late = w_.after.at.t - end.t;
    if (!by_.is_adaptive || !(std::abs(late) < most)) return end;
    return at_time(std::move(end), w_.after.at.t);
  }

  // The moment a little earlier or later, along the slope.
  moment at_time(moment end, double t) const {
    const double late = t - end.t;
    if (late == 0) return end;
    moment from = end;
    from.wanted *= 1e-4;
    const moment later = continued(p_, by_, from, w_.after.at.t_end, 1, {});
    if (!(later.t > end.t)) return end;
    for (std::size_t k = 0; k < end.y.size(); ++k)
      for (std::size_t n = 0; n < variables; ++n)
        end.y[k][n] += late * (later.y[k][n] - end.y[k][n]) / (later.t - end.t);
    return end;
  }

  static bool is_within(const parts& found, const parts& limit) {
    return found.state <= limit.state && found.step <= limit.step && found.count <= limit.count;
  }

  // The distance of the solver to references whose decisions differ in cells at the jump only. Each cell may
  // have taken either side.
  parts compared(std::span<const moment> references) const {
    const moment& first = references.front();
    const progress &before = w_.before.at, &after = w_.after.at;
    parts found;
    if (attempts_of(w_) <= 0 || w_.after.y.size() != first.y.size())
      return {not_a_number, not_a_number, not_a_number};
    found.state = checkers::largest_over(first.y.size(), [&](std::size_t k) {
      double here = cell_distance(w_.after.y[k], first.y[k], scale_);
      for (const moment& m : references.subspan(1)) {
        const double other = cell_distance(w_.after.y[k], m.y[k], scale_);
        if (other < here) here = other;
      }
      return here;
    });
    const double length = by_.is_adaptive ? first.wanted : by_.dt;
    found.step = std::abs(after.t - first.t) / length;
    if (by_.is_adaptive) found.step = larger(found.step, std::abs(after.wanted - first.wanted) / length);
    found.count = larger(std::abs(static_cast<double>(after.accepted - before.accepted - first.accepted)),
                         std::abs(static_cast<double>(after.rejected - before.rejected - first.rejected)));
    return found;
  }

  // An error estimate is a sum of differences that rounds as a voltage does. Relative to the tolerance that is
  // its own rounding, and the most by which it changes a step.
  double base_of_step() const {
    return by_.is_adaptive ? larger(base_, 32 * u_ * scale_[at_v] / by_.at) : base_;
  }

  // The change of the last state, relative to a change of the step that is tried next. A gate whose step is near the limit
  // of stability swings, and by how much depends on the step.
  double growth_by_step(const moment& from, const moment& plain, long attempts) const {
    constexpr double small = 1e-7;
    moment longer = from;
    longer.wanted *= 1 + small;
    const moment moved = continued(p_, by_, longer, w_.after.at.t_end, attempts, {});
    return distance(at_time(moved, plain.t).y, plain.y, scale_) / small;
  }

  // The limits that rounding has if it grows as a disturbance does: one of the first state or of a later one, because a
  // front magnifies what arises shortly before it. Signs are drawn, so that the cells of a front try many patterns. These
  // need not have the worst one, and functions on a GPU err by up to two units: four times as much. Where errors choose the
  // steps, these round too.
  parts limit_beside(const moment& plain) const {
    constexpr double small = 1e-7;
    constexpr double worse = 4;
    constexpr long most_steps_changed = 4;
    double state = 1, step = 1, by_step = 0;
    const long attempts = attempts_of(w_);
    for (long quarter = 0; quarter < (attempts < 8 ? 1 : 4); ++quarter) {
      const long before = attempts * quarter / 4;
      const moment from = continued(p_, by_, start(), w_.after.at.t_end, before, {});
      for (unsigned pattern : {1U, 2U}) {
        moment disturbed = from;
        std::mt19937 drawn(pattern);
        for (cell_state& cell : disturbed.y)
          for (double& value : cell) value *= drawn() % 2 == 0 ? 1 + small : 1 - small;
        const moment moved = continued(p_, by_, disturbed, w_.after.at.t_end, attempts - before, {});
        state = larger(state, distance(moved.y, plain.y, scale_) / small);
        const double shift = larger(std::abs(moved.t - plain.t), std::abs(moved.wanted - plain.wanted));
        if (by_.is_adaptive) step = larger(step, shift / plain.wanted / small);
      }
    }
    for (long last = 1; by_.is_adaptive && last <= attempts && last <= most_steps_changed; ++last) {
      const moment from = continued(p_, by_, start(), w_.after.at.t_end, attempts - last, {});
      checkers::raise(by_step, growth_by_step(from, plain, last));
    }
    return {worse * (base_ * state + base_of_step() * by_step), worse * base_of_step() * step, 0};
  }

  // A voltage within rounding of the jump, or an error within rounding of one, may be on either side.
  parts nearest(const moment& plain, const parts& limit) const {
    parts best = compared({&plain, 1});
    const double shift = limit.state * scale_[at_v];
    const double slack = smaller(1e-2, 1e5 * u_);
    for (double accepted_error : {1., 1 - slack, 1 + slack}) {
      std::vector<moment> sides;
      for (double side : {0., -1., 1.})
        sides.push_back(steps_from(start(), {reference::atrium::sodium_jump + side * shift, accepted_error}));
      const parts found = compared(sides);
      if (is_within(found, limit)) return found;
      if (found.count < best.count || (found.count == best.count && found.state < best.state)) best = found;
      if (!by_.is_adaptive) break;
    }
    return best;
  }

  const problem& p_;
  const run_window& w_;
  stepping by_;
  cell_state scale_;
  double u_;
  double base_;
};

// The window as a problem of its own, whose time begins with it.
problem moved_to(const problem& p, const between_steps& from) {
  problem moved = p;
  moved.state0 = from.y;
  for (stimulus& s : moved.protocol.stimuli) s.start -= from.at.t;
  return moved;
}

// A black box tells its tolerances and not its steps.
finding judge_black_box(const problem& p, const run_window& w) {
  const control& c = w.before.at.control;
  const double span = w.after.at.t - w.before.at.t;
  const double finest = larger(1e-12, 1e-3 * smaller(1., c.at));
  const auto exact = reference::atrium::integrate(moved_to(p, w.before), span, finest);
  double sum = exact.y.size() == w.after.y.size() ? 0 : not_a_number;
  for (std::size_t k = 0; k < exact.y.size() && !std::isnan(sum); ++k)
    for (std::size_t n = 0; n < variables; ++n) {
      const double weight = c.at + c.rt * std::abs(w.before.y[k][n]);
      sum += std::pow((w.after.y[k][n] - exact.y[k][n]) / weight, 2);
    }
  return {
      "timed_work_error", std::sqrt(sum / static_cast<double>(variables * exact.y.size())),
      10. * static_cast<double>(attempts_of(w)),
      "in CVODE's own norm, in which the estimated error of a step is at most one; the estimate of a step "
      "whose order or length has just changed may be several times too small"};
}

// While a front travels: from a rise before the first activation of a recorded cell to one after the last.
struct travel {
  double begin{std::numeric_limits<double>::infinity()};
  double end{};
};
constexpr double rise = 1;  // ms

travel travel_of(const recording& r) {
  constexpr double activated = -40;
  const std::size_t columns = r.v.size() / r.t.size();
  travel found;
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t n = 0; n < r.t.size(); ++n)
      if (r.v[n * columns + c] >= activated) {
        checkers::lower(found.begin, r.t[n] - rise);
        checkers::raise(found.end, r.t[n] + rise);
        break;
      }
  return found;
}

// The longest step that ends in this time.
double longest_step(const recording& r, const travel& during) {
  double longest = 0;
  for (std::size_t n = 1; n < r.t.size(); ++n)
    if (r.t[n] >= during.begin && r.t[n] <= during.end) checkers::raise(longest, r.t[n] - r.t[n - 1]);
  return longest;
}

finding judge_recorded(const watched_run& run, const problem& p) {
  const recording& r = run.recorded;
  const std::size_t columns = p.recorded.size();
  const auto every = static_cast<std::size_t>(run.end.at.control.record_every);
  if (every == 0)
    return {"timed_recorded_error", not_a_number, 0,
            "the run was asked to record, and its control says never"};
  const std::size_t samples = static_cast<std::size_t>(run.end.at.accepted) / every + 1;
  double most = r.t.size() == samples && r.v.size() == samples * columns ? 0 : not_a_number;
  const auto look = [&](const between_steps& m) {
    const auto steps = static_cast<std::size_t>(m.at.accepted), row = steps / every;
    if (row >= r.t.size()) most = not_a_number;
    if (std::isnan(most)) return;
    if (steps % every != 0) return;  // this state was not recorded
    checkers::raise(most, std::abs(r.t.at(row) - m.at.t));
    for (std::size_t c = 0; c < columns; ++c)
      checkers::raise(
          most, std::abs(r.v.at(row * columns + c) - m.y.at(static_cast<std::size_t>(p.recorded[c]))[at_v]));
  };
  for (const run_window& w : run.windows) {
    look(w.before);
    look(w.after);
  }
  if (run.windows.empty()) most = not_a_number;
  return {"timed_recorded_error", most, 1e-5,
          "times and voltages recorded at the windows' ends are those of the states; in single precision the "
          "initial state is rounded"};
}

}  // namespace

between_steps start_of(const problem& p, const control& c) {
  between_steps start{{}, p.state0};
  start.at.control = c;
  start.at.wanted = c.dt;
  return start;
}

std::vector<finding> judge_attempts(const run_window& w, const problem& p, precision arithmetic,
                                    const window_metrics& called) {
  return stepwise_window(p, w, arithmetic).findings(called);
}

watched_run watch(solver& s, const problem& p, control c, double t_end, std::string_view seed,
                  const std::function<progress(double t_end)>& advance) {
  c = with_pauses(c, t_end, seed);
  watched_run run;
  s.reset(c);
  between_steps last = start_of(p, c);
  bool is_window = true;
  do {
    between_steps here{advance(t_end), {}};
    here.y = s.state();
    if (is_window && here.at.accepted + here.at.rejected > last.at.accepted + last.at.rejected) {
      const long long steps = here.at.accepted - last.at.accepted;
      if (steps > run.longest_window) run.longest_window = steps;
      run.windows.push_back({last, here});
    }
    is_window = begins_window(c, last.at.t, here.at.t);
    last = std::move(here);
  } while (last.at.state == ending::paused);
  if (is_repeatable(last.at, p.cells())) run.windows.push_back({start_of(p, c), last});
  run.end = std::move(last);
  if (!p.recorded.empty()) run.recorded = s.recorded();
  return run;
}

std::vector<finding> judge(const watched_run& run, const problem& p, precision arithmetic) {
  if (run.windows.empty() || run.longest_window > steps_of_window)
    return {{timed_metrics.state, not_a_number, 0,
             "the run was asked to pause, and pause again after a few steps, but went on"}};
  std::vector<finding> all;
  for (const run_window& w : run.windows) {
    if (w.before.at.control.method != scheme::black_box) {
      checkers::append(all, judge_attempts(w, p, arithmetic, timed_metrics));
    } else if (w.after.at.t > w.before.at.t) {
      all.push_back(judge_black_box(p, w));
    }
  }
  if (!p.recorded.empty()) all.push_back(judge_recorded(run, p));
  return checkers::worst_of_each(all);
}

finding judge_repeated(const watched_run& run, const std::vector<cell_state>& state,
                       const recording& recorded) {
  cell_state unit;
  unit.fill(1);
  double most = distance(state, run.end.y, unit);
  checkers::raise(most, checkers::largest_distance(recorded.t, run.recorded.t));
  checkers::raise(most, checkers::largest_distance(recorded.v, run.recorded.v));
  return {"timed_repeat_error", most, 0, "the last of the timed runs repeats the first, which was judged"};
}

finding judge_trajectory(const recording& answer, const recording& reference) {
  const trajectory_errors e = errors_of(answer, reference);
  if (std::isnan(e.shift))
    return {"timed_run_error", e.rrms, .5,
            "a trajectory that misses a wave, or has one too many, has an RRMS near one"};
  const travel front = travel_of(reference);
  if (!(front.begin < front.end)) return {"timed_run_error", e.rrms, .5, "no recorded cell is activated"};
  constexpr double of_reference = .03;  // ms: what the steps of the reference add
  const double longest = longest_step(answer, front) + of_reference;
  return {
      "timed_run_error", e.shift, 2 * (front.end - front.begin) * longest / rise,
      "the shift of activations in ms; a front rises within a millisecond, so that with gates of first order "
      "its speed errs by about the longest step over that, while it travels: twice that"};
}

finding judge_unstable(const problem& p, const between_steps& last) {
  const control& c = last.at.control;
  const moment here{last.y, last.at.t, last.at.wanted, 0, 0, 0};
  constexpr long further = 20;
  const moment next =
      continued(p, {c.method, c.gates, c.is_adaptive, c.dt, c.at, c.rt}, here, last.at.t_end, further);
  return {"timed_unstable_error", next.rejected == 1 ? 0. : 1., 0,
          "the reference's steps from the solver's last state also leave a cell that is none, in single "
          "precision "
          "some steps later, because its numbers may be larger"};
}

}  // namespace reprise::verification::atrium
