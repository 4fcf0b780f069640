// SPDX-License-Identifier: MIT
// Kinetics of one cell without its neighbours, in any precision: equations (3), (4) and (5) term
// by term. Place: section 2, with the constants of Karma (1994) and of Bueno-Orovio et al.
// (2008) that the paper leaves out.
#pragma once

#include <array>
#include <cmath>

#include "solvers/tissue/problem.hpp"

namespace reprise::reference::tissue {

using reprise::tissue::switch_form;

template <class Real>
using cell = std::array<Real, 4>;  // u and the model's other variables; the rest is zero

// The polynomial that rises from 0 to 1 and whose first n derivatives vanish at both ends is the regularised
// incomplete beta function I_y(n + 1, n + 1): the probability that n + 1 successes, each of probability y, come before
// as many failures.
template <class Real>
Real smooth_rise(int n, Real y) {
  Real after_failures = 1;
  Real sum = 1;
  for (int failures = 1; failures <= n; ++failures) {
    after_failures *= (1 - y) * static_cast<Real>(n + failures) / static_cast<Real>(failures);
    sum += after_failures;
  }
  for (int success = 0; success <= n; ++success) sum *= y;
  return sum;
}

template <class Real>
Real switch_at(switch_form form, Real steepness, Real x) {
  if (std::isnan(x)) return x;
  if (form == switch_form::heaviside) return x > 0 ? Real(1) : x < 0 ? Real(0) : Real(.5);
  if (form == switch_form::tanh) return (1 + std::tanh(3 * steepness * x)) / 2;
  const Real y = steepness * x + Real(.5);
  if (y <= 0) return 0;
  if (y >= 1) return 1;
  return smooth_rise(static_cast<int>(form) - static_cast<int>(switch_form::linear), y);
}

// The two switches of a problem, and its tanh.
template <class Real>
class switches {
 public:
  explicit switches(const reprise::tissue::problem& p)
      : form_(p.form),
        hidden_form_(p.has_sharp_constants ? switch_form::heaviside : p.form),
        steepness_(p.steepness),
        replaces_tanh_(p.replaces_tanh) {}

  Real h(Real x) const { return switch_at(form_, steepness_, x); }
  // The switch inside time constants and gate targets.
  Real hidden(Real x) const { return switch_at(hidden_form_, steepness_, x); }
  // tanh(a x) or its replacement 2 H - 1 with the cubic H. The slope of 2 H - 1 at 0 is 3 k, so
  // k = a / 3 gives it the slope a.
  Real tanh(Real a, Real x) const {
    if (replaces_tanh_) return 2 * switch_at(switch_form::cubic, a / 3, x) - 1;
    return 1 - 2 / (1 + std::exp(2 * a * x));  // in half the time of std::tanh
  }

 private:
  switch_form form_;
  switch_form hidden_form_;
  Real steepness_;
  bool replaces_tanh_;
};

template <class Real>
cell<Real> fitzhugh_nagumo(const cell<Real>& z) {
  constexpr double epsilon = .05, a1 = 1.5, a0 = -.1;
  const auto [u, v, unused_w, unused_s] = z;
  return {u - v - u * u * u, Real(epsilon) * (u - Real(a1) * v - Real(a0)), 0, 0};
}

template <class Real>
cell<Real> karma(const switches<Real>& at, const cell<Real>& z) {
  constexpr double tau_u = 2.5, tau_v = 250, u_h = 3, u_v = 1, u_star = 1.5415;
  constexpr double recovered = 1.5819767068693264;  // 1 / (1 - exp(-Re)), Re = 1
  const auto [u, v, unused_w, unused_s] = z;
  const Real sixth_power = (v * v * v) * (v * v * v);
  const Real production = u * u / 2 * (1 - at.tanh(1, u - Real(u_h))) * (Real(u_star) - sixth_power);
  const Real recovery = (Real(recovered) - v) * at.h(u - Real(u_v)) - v * at.h(Real(u_v) - u);
  return {(production - u) / Real(tau_u), recovery / Real(tau_v), 0, 0};
}

// The epicardial column of Bueno-Orovio et al.'s parameter table.
struct epicardial {
  double u_o = 0, u_u = 1.55;
  double theta_v = .3, theta_w = .13, theta_v_minus = .006, theta_o = .006;
  double tau_v1_minus = 60, tau_v2_minus = 1150, tau_v_plus = 1.4506;
  double tau_w1_minus = 60, tau_w2_minus = 15, k_w_minus = 65, u_w_minus = .03, tau_w_plus = 200;
  double tau_fi = .11, tau_o1 = 400, tau_o2 = 6;
  double tau_so1 = 30.0181, tau_so2 = .9957, k_so = 2.0458, u_so = .65;
  double tau_s1 = 2.7342, tau_s2 = 16, k_s = 2.0994, u_s = .9087;
  double tau_si = 1.8875, tau_w_infinity = .07, w_star_infinity = .94;
};

template <class Real>
class bueno_orovio {
 public:
  bueno_orovio(const switches<Real>& at, Real u) : at_(at), u_(u) {}

  cell<Real> rate(const cell<Real>& z) const {
    const Real v = z[1], w = z[2], s = z[3];
    return {-(fast_inward(v) + slow_outward() + slow_inward(w, s)),
            -above(c_.theta_v) * v / c_.tau_v_plus + below(c_.theta_v) * (v_infinity() - v) / tau_v_minus(),
            -above(c_.theta_w) * w / c_.tau_w_plus + below(c_.theta_w) * (w_infinity() - w) / tau_w_minus(),
            (blend(0, 1, c_.k_s, c_.u_s) - s) / tau_s()};
  }

  // The coefficients a and b of v' = a v + b, w' = a w + b and s' = a s + b.
  std::array<std::array<Real, 2>, 3> gates() const {
    const Real v_closing = below(c_.theta_v) / tau_v_minus();
    const Real w_closing = below(c_.theta_w) / tau_w_minus();
    return {{{-above(c_.theta_v) / c_.tau_v_plus - v_closing, v_closing * v_infinity()},
             {-above(c_.theta_w) / c_.tau_w_plus - w_closing, w_closing * w_infinity()},
             {-1 / tau_s(), blend(0, 1, c_.k_s, c_.u_s) / tau_s()}}};
  }

 private:
  Real fast_inward(Real v) const {
    return -v * above(c_.theta_v) * (u_ - c_.theta_v) * (c_.u_u - u_) / c_.tau_fi;
  }
  Real slow_outward() const {
    return (u_ - c_.u_o) * below(c_.theta_w) / tau_o() + above(c_.theta_w) / tau_so();
  }
  Real slow_inward(Real w, Real s) const { return -above(c_.theta_w) * w * s / c_.tau_si; }

  Real tau_v_minus() const { return hidden_jump(c_.tau_v1_minus, c_.tau_v2_minus, c_.theta_v_minus); }
  Real tau_o() const { return hidden_jump(c_.tau_o1, c_.tau_o2, c_.theta_o); }
  Real tau_s() const { return hidden_jump(c_.tau_s1, c_.tau_s2, c_.theta_w); }
  Real tau_w_minus() const { return blend(c_.tau_w1_minus, c_.tau_w2_minus, c_.k_w_minus, c_.u_w_minus); }
  Real tau_so() const { return blend(c_.tau_so1, c_.tau_so2, c_.k_so, c_.u_so); }
  Real v_infinity() const { return hidden_jump(1, 0, c_.theta_v_minus); }
  Real w_infinity() const { return hidden_jump(1 - u_ / c_.tau_w_infinity, c_.w_star_infinity, c_.theta_o); }

  Real above(Real threshold) const { return at_.h(u_ - threshold); }
  Real below(Real threshold) const { return at_.h(threshold - u_); }
  // Switches from `low` to `high` as u passes the threshold.
  Real hidden_jump(Real low, Real high, Real threshold) const {
    return at_.hidden(threshold - u_) * low + at_.hidden(u_ - threshold) * high;
  }
  Real blend(Real low, Real high, Real slope, Real middle) const {
    return low + (high - low) * (1 + at_.tanh(slope, u_ - middle)) / 2;
  }

  static constexpr epicardial c_{};
  switches<Real> at_;
  Real u_;
};

template <class Real>
cell<Real> kinetics(reprise::tissue::model what, const switches<Real>& at, const cell<Real>& z) {
  switch (what) {
    case reprise::tissue::model::fitzhugh_nagumo:
      return fitzhugh_nagumo(z);
    case reprise::tissue::model::karma:
      return karma(at, z);
    case reprise::tissue::model::bueno_orovio:
      break;
  }
  return bueno_orovio<Real>(at, z[0]).rate(z);
}

}  // namespace reprise::reference::tissue
