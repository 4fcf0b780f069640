// SPDX-License-Identifier: MIT
// A stabilised explicit method: Runge-Kutta-Chebyshev of second order with as many stages as the step needs.
// Place: beyond the paper. Sommeijer, Shampine and Verwer, RKC: an explicit solver for parabolic PDEs,
// J. Comput. Appl. Math. 88 (1998), (2.2)-(2.8) and section 3.
// Formula: with f_0 = f(t, u), w0 = 1 + eps/s^2, eps = 2/13, w1 = T_s'(w0)/T_s''(w0),
// b_j = T_j''(w0)/T_j'(w0)^2, b_0 = b_1 = b_2:
//   y_0 = u,  y_1 = u + b_1 w1 tau f_0
//   y_j = mu_j y_(j-1) + nu_j y_(j-2) + (1 - mu_j - nu_j) u + kappa_j tau f(y_(j-1)) + gamma_j tau f_0
//   e   = max |4/5 (u - y_s) + 2/5 tau (f_0 + f(t + tau, y_s))|
// f(t + tau, y_s) is f_0 of the next step. An attempt takes s evaluations and one for the spectral radius.
//
// The limit of stability on the real axis is 0.653 (s^2 - 1), so that the step grows with the square of its cost,
// where five stages of Merson's method reach 3.55.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/curvature/controller.hpp"

namespace reprise::curvature {

// The spectral radius is |f(u + d v) - f(u)|/d in the largest norm, where v alternates between 1 and -1 from node to
// node. On a flat surface v is the mode of the largest eigenvalue. On others this is the largest sum of a row of the
// Jacobian with all signs equal, and so a bound, but for terms across the edges.
constexpr double disturbance = 1e-7;
// The square of the number of stages over tau times the radius, with a margin of 5 % for the radius.
constexpr double square_over_reach = 1.54 * 1.05;

// More stages amplify rounding, by their square.
constexpr double most_stages = 1000;

inline double longest_step(double radius) {
  constexpr double root = most_stages - .5;  // so that rounding does not decide on a stage
  return (root * root - 1) / (square_over_reach * radius);
}

// A radius that is not a number gives the fewest stages, whose error is not a number either.
inline int stages_for(double tau, double radius) {
  const double square = square_over_reach * tau * radius + 1;
  return square <= 2 * most_stages * most_stages ? std::max(2, 1 + static_cast<int>(std::sqrt(square))) : 2;
}

// The weights of one stage, y_j, and its time in units of the step.
struct chebyshev_stage {
  double mu, nu, kappa, gamma;
  double time;

  double rest() const { return 1 - mu - nu; }
};

// Makes the stages y_1, y_2, ... of a step one after the other, by the recurrences of T_j, T_j' and T_j''.
class chebyshev_stages {
 public:
  explicit chebyshev_stages(int count) : w0_(1 + 2.0 / 13 / count / count) {
    polynomial t = first();
    polynomial before{1, 0, 0};
    for (int j = 2; j <= count; ++j) before = std::exchange(t, following(t, before));
    w1_ = t.slope / t.bend;
    b_ = b_before_ = 1 / (4 * w0_ * w0_);
    t_ = first();
    latest_ = {0, 0, b_ * w1_, 0, b_ * w1_};
  }

  const chebyshev_stage& latest() const { return latest_; }

  void advance() {
    const polynomial next = following(t_, t_before_);
    const double b = next.bend / (next.slope * next.slope);
    const double a = 1 - b_ * t_.value;
    const double mu = 2 * b * w0_ / b_;
    const double nu = -b / b_before_;
    const double kappa = 2 * b * w1_ / b_;
    const double time = mu * latest_.time + nu * time_before_ + kappa * (1 - a);
    time_before_ = latest_.time;
    latest_ = {mu, nu, kappa, -a * kappa, time};
    b_before_ = std::exchange(b_, b);
    t_before_ = std::exchange(t_, next);
  }

 private:
  // T_j, T_j' and T_j'' at w0.
  struct polynomial {
    double value, slope, bend;
  };
  polynomial first() const { return {w0_, 1, 0}; }
  polynomial following(const polynomial& t, const polynomial& before) const {
    return {2 * w0_ * t.value - before.value, 2 * (w0_ * t.slope + t.value) - before.slope,
            2 * (w0_ * t.bend + 2 * t.slope) - before.bend};
  }

  double w0_, w1_{};
  polynomial t_{}, t_before_{1, 0, 0};
  double b_{}, b_before_{};
  double time_before_{};
  chebyshev_stage latest_{};
};

// e is of third order in the step.
struct chebyshev_rule {
  static double next(const merson& m, double eps_over_e) {
    return m.tau * std::clamp(.8 * std::cbrt(eps_over_e), .1, 10.0);
  }
};

// Adaptive steps, with the decisions on the host. `radius(t)` returns the spectral radius, `attempt(t, tau, stages)`
// computes the stages and returns e, and `accept(t)` takes y_s as the surface at t. `start(t)` computes f_0 of the
// first step.
template <class Start, class Radius, class Attempt, class Accept>
void integrate_stabilised(merson& m, double t_end, Start start, Radius radius, Attempt attempt,
                          Accept accept) {
  start_interval(m, t_end);
  while (m.state == ending::running) {
    const bool is_first = m.accepted + m.rejected == 0;
    if (is_first) start(m.t);
    const double r = radius(m.t);
    const double longest = longest_step(r);
    if (m.wanted > longest && !m.control.fixed_steps) {
      m.wanted = longest;
      cut_step(m);
    }
    const double tau = m.tau;
    const int stages = stages_for(tau, r);
    const double e = attempt(m.t, tau, stages);
    if (finish_attempt_by<chebyshev_rule>(m, e, stages + (is_first ? 2 : 1))) accept(m.t);
  }
}

}  // namespace reprise::curvature
