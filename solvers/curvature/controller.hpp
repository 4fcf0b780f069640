// SPDX-License-Identifier: MIT
// Merson's choice of the time step, for the host and for the device.
// Place: section 4.1, Algorithm 4.1, (29): tau := min{4/5 tau (eps/e)^(1/5), T - t}, accepted or not.
//
// Guards that the algorithm needs but the paper does not mention:
//   e = 0       would make the next step infinite; the smallest normal number is used instead
//   e is NaN    would make the step NaN and the loop endless; the step is rejected and a tenth of it is tried
//   T - t       a step cut short at a sample time says nothing about the next; the uncut length is remembered
//   blow-up     steps that do not change t, or far more attempts than the problem can need, end the run
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "solvers/common/base/host_device.hpp"
#include "solvers/curvature/problem.hpp"

namespace reprise::curvature {

enum class ending { running, reached, step_underflow, too_many_steps };

// The state of the time integration, of either integrator; plain data, so that it can be stored on a device.
struct merson {
  curvature::control control;
  double t{};
  double t_end{};
  double wanted{};  // the step before it is cut at t_end
  double tau{};     // the step being tried
  double error{};   // e of the last attempt
  long long accepted{};
  long long rejected{};
  long long evaluations{};  // of the right-hand side
  ending state{ending::reached};
};

inline merson at_start(const control& c) {
  merson m;
  m.control = c;
  m.wanted = c.first_step;
  return m;
}

// x to the power 1/5. A device's pow would be the longest delay of an attempt. Where the range of single
// precision allows it, a power in single precision is therefore refined by Newton's method.
REPRISE_HOST_DEVICE inline double fifth_root(double x) {
#ifdef __CUDA_ARCH__
  if (x > 1e-30 && x < 1e30) {
    double y = __powf(static_cast<float>(x), .2F);
    for (int n = 0; n < 2; ++n) {
      const double y4 = y * y * y * y;
      y -= (y * y4 - x) / (5 * y4);
    }
    return y;
  }
#endif
  return pow(x, .2);
}

REPRISE_HOST_DEVICE inline void cut_step(merson& m) {
  m.tau = m.wanted < m.t_end - m.t ? m.wanted : m.t_end - m.t;
}

REPRISE_HOST_DEVICE inline void start_interval(merson& m, double t_end) {
  m.t_end = t_end;
  m.state = m.t < t_end ? ending::running : ending::reached;
  cut_step(m);
}

// (29) without the minimum: the step that would have had an error somewhat below eps, by the fifth root because e
// is of fifth order in the step.
struct merson_rule {
  REPRISE_HOST_DEVICE static double next(const merson& m, double eps_over_e) {
    return m.tau * (4.0 / 5.0) * fifth_root(eps_over_e);
  }
};

// Called after an attempt with step m.tau and error e, which took so many evaluations. Returns whether it is
// accepted.
template <class Rule>
REPRISE_HOST_DEVICE inline bool finish_attempt_by(merson& m, double e, long long evaluations) {
  const bool is_number = e <= DBL_MAX;
  const bool is_accepted = m.control.fixed_steps ? is_number : e < m.control.eps;
  const bool is_cut = m.tau < m.wanted;
  m.error = e;
  m.evaluations += evaluations;
  if (is_accepted) {
    // The last step of an interval ends at t_end exactly.
    m.t = m.tau >= m.t_end - m.t ? m.t_end : m.t + m.tau;
    ++m.accepted;
  } else {
    ++m.rejected;
  }
  if (!is_number) {
    m.wanted = m.control.fixed_steps ? 0 : m.tau / 10;
  } else if (!m.control.fixed_steps && !(is_accepted && is_cut)) {
    const double at_least = e > DBL_MIN ? e : DBL_MIN;
    m.wanted = Rule::next(m, m.control.eps / at_least);
  }
  if (m.t >= m.t_end) {
    m.state = ending::reached;
  } else if (!(m.wanted > DBL_EPSILON * m.t_end)) {
    m.state = ending::step_underflow;
  } else if (m.accepted + m.rejected >= m.control.most_attempts) {
    m.state = ending::too_many_steps;
  }
  cut_step(m);
  return is_accepted;
}

REPRISE_HOST_DEVICE inline bool finish_attempt(merson& m, double e) {
  constexpr long long stages = 5;
  return finish_attempt_by<merson_rule>(m, e, stages);
}

// Estimates how many attempts the interval still needs, with a tenth more for rejected ones, where a device
// decides and the host queues attempts. Those beyond the end waste time, and so does checking too early.
inline long long attempts_to_queue(const merson& m) {
  constexpr double most = 256;
  const double rejected = m.control.fixed_steps ? 1 : 1.1;
  return static_cast<long long>(std::clamp(std::ceil(rejected * (m.t_end - m.t) / m.tau), 1.0, most));
}

// Algorithm 4.1, with the decisions on the host. `attempt(t, tau)` computes the stages and returns e.
// `accept(tau, t)` carries out (28), after which the time is t.
template <class Attempt, class Accept>
void integrate(merson& m, double t_end, Attempt attempt, Accept accept) {
  start_interval(m, t_end);
  while (m.state == ending::running) {
    const double tau = m.tau;
    if (finish_attempt(m, attempt(m.t, tau))) accept(tau, m.t);
  }
}

}  // namespace reprise::curvature
