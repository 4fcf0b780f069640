// SPDX-License-Identifier: MIT
// Merson's choice of the time step, for the host and for the device alike.
// Place: section 4.1, Algorithm 4.1, (29): tau := min{4/5 tau (eps/e)^(1/5), T - t}, accepted or not.
//
// Guards that the algorithm needs and the paper does not mention:
//   e = 0            would make the next step infinite: taken for the smallest number instead
//   e not a number   would make the step so, and the loop endless: rejected, a tenth of the step is tried
//   T - t            a step cut short at a sample time says nothing of the next: the uncut one is remembered
//   blow-up          steps that no longer move t, or far more attempts than the problem can need, end the run
#pragma once

#include <cfloat>
#include <cmath>

#include "solvers/common/host_device.hpp"
#include "solvers/curvature/problem.hpp"

namespace reprise::curvature {

enum class ending { running, reached, step_underflow, too_many_steps };

// Plain data, so that it can live on a device.
struct merson {
  control how;
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
  m.how = c;
  m.wanted = c.first_step;
  return m;
}

// x to the power 1/5. A device's pow would be the longest wait of an attempt, so where single precision
// reaches its power is polished by Newton's method instead.
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

// After an attempt with step m.tau and error e. Returns whether it is accepted.
REPRISE_HOST_DEVICE inline bool finish_attempt(merson& m, double e) {
  const bool is_number = e <= DBL_MAX;
  const bool is_accepted = m.how.fixed_steps ? is_number : e < m.how.eps;
  const bool is_cut = m.tau < m.wanted;
  m.error = e;
  m.evaluations += 5;
  if (is_accepted) {
    // The last step of an interval ends there to the last bit.
    m.t = m.tau >= m.t_end - m.t ? m.t_end : m.t + m.tau;
    ++m.accepted;
  } else {
    ++m.rejected;
  }
  if (!is_number) {
    m.wanted = m.how.fixed_steps ? 0 : m.tau / 10;
  } else if (!m.how.fixed_steps && !(is_accepted && is_cut)) {
    const double at_least = e > DBL_MIN ? e : DBL_MIN;
    m.wanted = m.tau * (4.0 / 5.0) * fifth_root(m.how.eps / at_least);
  }
  if (m.t >= m.t_end) {
    m.state = ending::reached;
  } else if (!(m.wanted > DBL_EPSILON * m.t_end)) {
    m.state = ending::step_underflow;
  } else if (m.accepted + m.rejected >= m.how.most_attempts) {
    m.state = ending::too_many_steps;
  }
  cut_step(m);
  return is_accepted;
}

// Algorithm 4.1 where the host decides. `attempt(t, tau)` computes the stages and returns e; `accept(tau, t)`
// carries out (28), after which the time is t.
template <class Attempt, class Accept>
void integrate(merson& m, double t_end, Attempt attempt, Accept accept) {
  start_interval(m, t_end);
  while (m.state == ending::running) {
    const double tau = m.tau;
    if (finish_attempt(m, attempt(m.t, tau))) accept(tau, m.t);
  }
}

}  // namespace reprise::curvature
