// SPDX-License-Identifier: MIT
// The local terms of the three models at one cell, for the host's and the CUDA variants, in
// single or double precision.
// Place: (3), (4), (5) and the smoothed step of section 2; parameters of Bueno-Orovio's epicardial set.
// Formula: as printed, with three changes that are cheaper and equal to rounding: (1 + tanh(x)) / 2 is
// 1 / (1 + exp(-2 x)), H(-x) is 1 - H(x), and dividing by a constant is multiplying by its inverse.
#pragma once

#include <cmath>
#include <type_traits>

#include "solvers/common/base/host_device.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

// Each model has a function local_terms: r gets the rates of the fields z, except that gates with their own
// method get their value after a step dt.
struct fitzhugh_nagumo {
  static constexpr int fields = 2;
  static constexpr int diffusing = 2;
  static constexpr bool has_own_gates = false;

  template <class Terms, class Real>
  REPRISE_INLINED static void local_terms(const Terms&, Real, const Real* z, Real* r) {
    const Real u = z[0];
    const Real v = z[1];
    r[0] = u - v - u * u * u;
    r[1] = Real(.05) * (u - Real(1.5) * v + Real(.1));
  }
};

struct karma {
  static constexpr int fields = 2;
  static constexpr int diffusing = 1;
  static constexpr bool has_own_gates = false;

  template <class Terms, class Real>
  REPRISE_INLINED static void local_terms(const Terms& t, Real, const Real* z, Real* r) {
    constexpr auto b = Real(1.5819767068693264);  // 1 / (1 - exp(-Re)), Re = 1
    const Real u = z[0];
    const Real v = z[1];
    r[0] = (u * u * t.rising(1, 3 - u) * (Real(1.5415) - t.sixth_power(v)) - u) * Real(1 / 2.5);
    // Equals [b - v] H(u-1) - v H(1-u), because H(x) + H(-x) = 1.
    r[1] = (b * t.switched(u - 1) - v) * Real(1 / 250.0);
  }
};

// The coefficients of a gate, y' = a y + b.
template <class Real>
struct gate {
  Real a, b;
};

// The gate's rate or, under a method for gates, its value after a step dt with held coefficients.
template <method how, class Terms, class Real>
REPRISE_INLINED Real gate_term(const Terms& t, gate<Real> g, Real y, Real dt) {
  if constexpr (how == method::implicit_euler) return (y + dt * g.b) / (1 - dt * g.a);
  if constexpr (how == method::rush_larsen) {
    const Real y_inf = -g.b / g.a;
    // The limit may be far from the gate. In single precision the exponential's own rounding would then show.
    if constexpr (sizeof(Real) < sizeof(double)) return y + (y - y_inf) * std::expm1(dt * g.a);
    return y_inf + (y - y_inf) * t.exponential(dt * g.a);
  }
  return g.a * y + g.b;
}

// gates_by is implicit_euler, rush_larsen, or euler for gates that are treated like any other field.
template <method gates_by>
struct bueno_orovio {
  static constexpr int fields = 4;
  static constexpr int diffusing = 1;
  static constexpr bool has_own_gates = gates_by != method::euler;

  template <class Real>
  struct gates {
    gate<Real> v, w, s;
  };

  template <class Terms, class Real>
  REPRISE_INLINED static gates<Real> gates_at(const Terms& t, Real u) {
    const Real above_minus = t.hidden(u - Real(.006));  // th_v- and th_o are both 0.006
    const Real below_minus = 1 - above_minus;
    const Real tau_v_minus = below_minus * 60 + above_minus * 1150;
    const Real tau_w_minus = 60 + (15 - 60) * t.rising(65, u - Real(.03));
    const Real v_inf = below_minus;
    const Real w_inf = below_minus * (1 - u * Real(1 / .07)) + above_minus * Real(.94);
    const Real above_v = t.switched(u - Real(.3));
    const Real below_v = (1 - above_v) / tau_v_minus;
    const Real above_w = t.switched(u - Real(.13));
    const Real below_w = (1 - above_w) / tau_w_minus;
    const Real hidden_w = t.hidden(u - Real(.13));
    const Real s_rate = 1 / ((1 - hidden_w) * Real(2.7342) + hidden_w * 16);
    const Real s_inf = t.rising(Real(2.0994), u - Real(.9087));
    return {{-above_v * Real(1 / 1.4506) - below_v, below_v * v_inf},
            {-above_w * Real(1 / 200.0) - below_w, below_w * w_inf},
            {-s_rate, s_inf * s_rate}};
  }

  // The sum of the ionic currents.
  template <class Terms, class Real>
  REPRISE_INLINED static Real current(const Terms& t, Real u, Real v, Real w, Real s) {
    const Real above_w = t.switched(u - Real(.13));
    const Real above_o = t.hidden(u - Real(.006));
    const Real tau_o = (1 - above_o) * 400 + above_o * 6;
    const Real tau_so = Real(30.0181) + Real(.9957 - 30.0181) * t.rising(Real(2.0458), u - Real(.65));
    const Real fast_in = -v * t.switched(u - Real(.3)) * (u - Real(.3)) * (Real(1.55) - u) * Real(1 / .11);
    const Real slow_out = u * (1 - above_w) / tau_o + above_w / tau_so;
    const Real slow_in = -above_w * w * s * Real(1 / 1.8875);
    return fast_in + slow_out + slow_in;
  }

  template <class Terms, class Real>
  REPRISE_INLINED static void local_terms(const Terms& t, Real dt, const Real* z, Real* r) {
    const gates<Real> g = gates_at(t, z[0]);
    r[0] = -current(t, z[0], z[1], z[2], z[3]);
    r[1] = gate_term<gates_by>(t, g.v, z[1], dt);
    r[2] = gate_term<gates_by>(t, g.w, z[2], dt);
    r[3] = gate_term<gates_by>(t, g.s, z[3], dt);
  }
};

template <class Terms>
REPRISE_INLINED Terms terms_as(const chosen_terms& t) {
  if constexpr (std::is_same_v<Terms, usual_terms>) {
    return {t.k};
  } else {
    return t;
  }
}

// Calls use(Model{}, Terms{}) with the types for this problem and method.
template <class Use>
auto with_types(const problem& p, method how, Use use) {
  const auto with_terms = [&](auto model_type) {
    return has_usual_terms(p) ? use(model_type, usual_terms{}) : use(model_type, chosen_terms{});
  };
  switch (p.model) {
    case model::fitzhugh_nagumo:
      return with_terms(fitzhugh_nagumo{});
    case model::karma:
      return with_terms(karma{});
    case model::bueno_orovio:
      break;
  }
  if (how == method::implicit_euler) return with_terms(bueno_orovio<method::implicit_euler>{});
  if (how == method::rush_larsen) return with_terms(bueno_orovio<method::rush_larsen>{});
  return with_terms(bueno_orovio<method::euler>{});
}

}  // namespace reprise::tissue
