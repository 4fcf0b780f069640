// SPDX-License-Identifier: MIT
// Step control, for the host and for devices: fixed steps, and the paper's choice of the
// step from an embedded error.
// Place: section 3.4, (14), (15), Algorithm 3, with local extrapolation: h := h (0.9 / e)^(1/(P+1)), where e
// is the largest |high - low| / (at + rt |y|).
//
// Guards that the algorithm needs but the paper does not mention:
//   growth at most 5, shrinking at most 10   an error of zero would make the next step infinite
//   stimulus edges                           steps end there; the uncut length is remembered
//   bad cells (non-finite, or |V| too large) end a run of fixed steps; an adaptive step is rejected and
//                                            shrinks by 10 until it succeeds or falls below the least step
//   stagnation                               a step below control::least_dt, or too many attempts, ends a run
#pragma once

#include <algorithm>
#include <cmath>

#include "solvers/atrium/cell.hpp"

namespace reprise::atrium {

enum class ending { running, paused, reached, stagnated, too_many_steps, not_a_number };

// A cell whose |V| in mV exceeds this has become unstable.
constexpr double largest_voltage = 300;

constexpr int most_edges = 16;

// The state of a run; plain data, so that it can be stored on a device.
struct progress {
  atrium::control control;
  int low_order{};
  int stages{};
  double stops[most_edges + 1]{};  // stimulus edges, increasing
  int stop_count{};

  double t{};
  double t_end{};
  double wanted{};  // the step before it is cut
  double h{};       // the step being tried
  double error{};   // e of the last attempt
  long long accepted{};
  long long rejected{};
  long long evaluations{};  // of the right-hand side
  long long pause_at{-1};   // number of accepted steps at which to pause
  int bad_cell{-1};         // the first bad cell of the last attempt, at time t + h; -1 if there is none
  ending state{ending::reached};
};

// The outcome of an attempt: e, and the first cell that is non-finite or whose |V| is too
// large (-1 if there is none).
struct outcome {
  double error{};
  int bad_cell{-1};
};

progress at_start(const problem& p, const control& c, int stages, int low_order);

REPRISE_INLINED double next_stop(const progress& s) {
  for (int n = 0; n < s.stop_count; ++n)
    if (s.stops[n] > s.t && s.stops[n] < s.t_end) return s.stops[n];
  return s.t_end;
}

// Fixed steps end at multiples of dt, wherever an interval began, and at the interval's end.
REPRISE_INLINED double fixed_end(const progress& s) {
  // A multiple of dt counts as equal to a time if they differ by rounding only.
  const double slack = 1e-6;
  const double end = (std::floor(s.t / s.control.dt + slack) + 1) * s.control.dt;
  return end < s.t_end - slack * s.control.dt ? end : s.t_end;
}

REPRISE_INLINED void choose_step(progress& s) {
  if (s.control.is_adaptive) {
    const double room = next_stop(s) - s.t;
    s.h = s.wanted < room ? s.wanted : room;
  } else {
    s.h = fixed_end(s) - s.t;
    if (std::abs(s.h - s.control.dt) < 1e-6 * s.control.dt) s.h = s.control.dt;
  }
}

REPRISE_INLINED bool has_failed(ending e) {
  return e == ending::stagnated || e == ending::too_many_steps || e == ending::not_a_number;
}

// A failed run goes no further until it is reset.
REPRISE_INLINED void start_interval(progress& s, double t_end) {
  s.t_end = t_end;
  if (has_failed(s.state)) return;
  s.state = s.t < t_end ? ending::running : ending::reached;
  choose_step(s);
}

REPRISE_INLINED double factor_of(const progress& s, double e) {
  if (!(e > 1e-30)) return 5;
  const double factor = std::pow(.9 / e, 1. / (s.low_order + 1));
  return factor > 5 ? 5 : factor > .1 ? factor : .1;
}

REPRISE_INLINED double time_after(const progress& s) {
  if (!s.control.is_adaptive) return fixed_end(s);
  // The last step before a stop ends at the stop exactly.
  const double stop = next_stop(s);
  return s.h >= stop - s.t ? stop : s.t + s.h;
}

// Whether to pause after a step that began at `before`.
REPRISE_INLINED bool is_pause(progress& s, double before) {
  bool is_due = s.accepted == s.pause_at;
  for (int n = 0; n < s.control.pause_count; ++n)
    if (before < s.control.pauses[n] && s.t >= s.control.pauses[n]) {
      is_due = true;
      s.pause_at = s.accepted + s.control.pause_steps;
    }
  return is_due;
}

// Called after an attempt with step s.h. Returns whether it is accepted.
REPRISE_INLINED bool finish_attempt(progress& s, const outcome& found) {
  const bool is_number = found.bad_cell < 0 && found.error < 1e300;
  const bool is_accepted = is_number && (!s.control.is_adaptive || found.error <= 1);
  const bool is_cut = s.h < s.wanted;
  const double tried = s.h;
  const double before = s.t;
  s.error = found.error;
  s.bad_cell = found.bad_cell;
  s.evaluations += s.stages;
  if (is_accepted) {
    s.t = time_after(s);
    ++s.accepted;
  } else {
    ++s.rejected;
  }
  if (s.control.is_adaptive && !(is_accepted && is_cut))
    s.wanted = tried * (is_number ? factor_of(s, found.error) : .1);
  if (s.t >= s.t_end) {
    s.state = ending::reached;
  } else if (!is_number && (!s.control.is_adaptive || s.wanted < s.control.least_dt)) {
    s.state = ending::not_a_number;
  } else if (s.control.is_adaptive && s.wanted < s.control.least_dt) {
    s.state = ending::stagnated;
  } else if (s.accepted + s.rejected >= s.control.most_attempts) {
    s.state = ending::too_many_steps;
  } else if (is_accepted && is_pause(s, before)) {
    s.state = ending::paused;
  }
  if (s.state == ending::running) choose_step(s);
  return is_accepted;
}

// Algorithm 3, with the decisions on the host. `attempt(h, active)` computes the candidate under the
// stimuli of the bits `active` and returns its outcome. `accept()` makes the candidate the state,
// after which the time is s.t.
template <class Attempt, class Accept>
void integrate(progress& s, const protocol& what, double t_end, Attempt attempt, Accept accept) {
  start_interval(s, t_end);
  while (s.state == ending::running) {
    const outcome found = attempt(s.h, active_stimuli(what, s.t + s.h / 2));
    if (finish_attempt(s, found)) accept();
  }
}

inline progress at_start(const problem& p, const control& c, int stages, int low_order) {
  progress s;
  s.control = c;
  s.stages = stages;
  s.low_order = low_order;
  s.wanted = c.dt;
  if (c.pause_count > 0) s.pause_at = c.pause_steps;
  for (double edge : edges_of(p.protocol)) s.stops[s.stop_count++] = edge;
  return s;
}

}  // namespace reprise::atrium
