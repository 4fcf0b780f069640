// SPDX-License-Identifier: MIT
// The local terms of the three models at one cell, for the host's variants and for CUDA's.
// Place: (3), (4), (5) and the smoothed step of section 2; parameters of Bueno-Orovio's epicardial set.
// Formula: as printed, but that (1 + tanh(x)) / 2 is written 1 / (1 + exp(-2 x)), that H(-x) is 1 - H(x), and
// that dividing by a constant is multiplying by its inverse: cheaper, and the same to rounding.
#pragma once

#include <cmath>
#include <type_traits>

#include "solvers/common/host_device.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

// The polynomial switch of the paper; y runs from 0 to 1 through its layer.
REPRISE_INLINED double cubic_switch(double k, double x) {
  const double raw = k * x + .5;
  const double y = raw < 0 ? 0 : raw > 1 ? 1 : raw;
  return y * y * (3 - 2 * y);
}

REPRISE_INLINED double heaviside(double x) {
  return x > 0 ? 1 : x < 0 ? 0 : .5;
}

// (1 + tanh(a x)) / 2
REPRISE_INLINED double logistic(double a, double x) {
  return 1 / (1 + std::exp(-2 * a * x));
}

// What the models' terms are made of, two ways. First as the paper has it but for the powers.
struct usual_terms {
  double k;

  REPRISE_INLINED double switched(double x) const { return cubic_switch(k, x); }
  // The switches between time constants and targets.
  REPRISE_INLINED double hidden(double x) const { return switched(x); }
  // (1 + tanh(a x)) / 2
  REPRISE_INLINED double rising(double a, double x) const { return logistic(a, x); }
  REPRISE_INLINED double sixth_power(double v) const {
    const double v2 = v * v;
    return v2 * v2 * v2;
  }
};

// Then as a problem asks for it.
struct chosen_terms {
  double k;
  switch_form form;
  bool has_sharp_constants, replaces_tanh, multiplies_powers;

  REPRISE_INLINED double switched(double x) const {
    const double z = k * x;
    if (form == switch_form::tanh) return logistic(3, z);
    const double raw = z + .5;
    const double y = raw < 0 ? 0 : raw > 1 ? 1 : raw;
    switch (form) {
      case switch_form::heaviside:
        return heaviside(x);
      case switch_form::linear:
        return y;
      case switch_form::quintic:
        return y * y * y * (10 - y * (15 - 6 * y));
      case switch_form::septic:
        return y * y * y * y * (35 - y * (84 - y * (70 - 20 * y)));
      case switch_form::nonic:
        return y * y * y * y * y * (126 - y * (420 - y * (540 - y * (315 - 70 * y))));
      default:
        return cubic_switch(k, x);
    }
  }
  REPRISE_INLINED double hidden(double x) const { return has_sharp_constants ? heaviside(x) : switched(x); }
  // A cubic switch in place of the tanh has its slope at zero.
  REPRISE_INLINED double rising(double a, double x) const {
    return replaces_tanh ? cubic_switch(a / 3, x) : logistic(a, x);
  }
  REPRISE_INLINED double sixth_power(double v) const {
    if (!multiplies_powers) return std::pow(v, 6.0);
    return usual_terms{k}.sixth_power(v);
  }
};

inline chosen_terms terms_of(const problem& p) {
  return {p.steepness, p.form, p.has_sharp_constants, p.replaces_tanh, p.multiplies_powers};
}

inline bool has_usual_terms(const problem& p) {
  return p.form == switch_form::cubic && !p.has_sharp_constants && !p.replaces_tanh && p.multiplies_powers;
}

// Each model's local_terms: r gets the rates of the fields z, but for gates with a method of their own the
// value after a step dt.
struct fitzhugh_nagumo {
  static constexpr int fields = 2;
  static constexpr int diffusing = 2;
  static constexpr bool has_own_gates = false;

  template <class Terms>
  REPRISE_INLINED static void local_terms(const Terms&, double, const double* z, double* r) {
    const double u = z[0];
    const double v = z[1];
    r[0] = u - v - u * u * u;
    r[1] = .05 * (u - 1.5 * v + .1);
  }
};

struct karma {
  static constexpr int fields = 2;
  static constexpr int diffusing = 1;
  static constexpr bool has_own_gates = false;

  template <class Terms>
  REPRISE_INLINED static void local_terms(const Terms& t, double, const double* z, double* r) {
    constexpr double b = 1.5819767068693264;  // 1 / (1 - exp(-Re)), Re = 1
    const double u = z[0];
    const double v = z[1];
    r[0] = (u * u * t.rising(1, 3 - u) * (1.5415 - t.sixth_power(v)) - u) * (1 / 2.5);
    // [b - v] H(u-1) - v H(1-u), as H(x) + H(-x) = 1
    r[1] = (b * t.switched(u - 1) - v) * (1 / 250.0);
  }
};

// A gate's y' = a y + b.
struct gate {
  double a, b;
};

// Its rate or, with its coefficients held, its value after a step dt.
template <method how>
REPRISE_INLINED double gate_term(gate g, double y, double dt) {
  if constexpr (how == method::implicit_euler) return (y + dt * g.b) / (1 - dt * g.a);
  if constexpr (how == method::rush_larsen) {
    const double y_inf = -g.b / g.a;
    return y_inf + (y - y_inf) * std::exp(dt * g.a);
  }
  return g.a * y + g.b;
}

// gates_by: implicit_euler, rush_larsen, or euler for rates as of any field.
template <method gates_by>
struct bueno_orovio {
  static constexpr int fields = 4;
  static constexpr int diffusing = 1;
  static constexpr bool has_own_gates = gates_by != method::euler;

  struct gates {
    gate v, w, s;
  };

  template <class Terms>
  REPRISE_INLINED static gates gates_at(const Terms& t, double u) {
    const double above_minus = t.hidden(u - .006);  // th_v- and th_o are both 0.006
    const double below_minus = 1 - above_minus;
    const double tau_v_minus = below_minus * 60 + above_minus * 1150;
    const double tau_w_minus = 60 + (15 - 60) * t.rising(65, u - .03);
    const double v_inf = below_minus;
    const double w_inf = below_minus * (1 - u * (1 / .07)) + above_minus * .94;
    const double above_v = t.switched(u - .3);
    const double below_v = (1 - above_v) / tau_v_minus;
    const double above_w = t.switched(u - .13);
    const double below_w = (1 - above_w) / tau_w_minus;
    const double hidden_w = t.hidden(u - .13);
    const double s_rate = 1 / ((1 - hidden_w) * 2.7342 + hidden_w * 16);
    const double s_inf = t.rising(2.0994, u - .9087);
    return {{-above_v * (1 / 1.4506) - below_v, below_v * v_inf},
            {-above_w * (1 / 200.0) - below_w, below_w * w_inf},
            {-s_rate, s_inf * s_rate}};
  }

  // The sum of the currents.
  template <class Terms>
  REPRISE_INLINED static double current(const Terms& t, double u, double v, double w, double s) {
    const double above_w = t.switched(u - .13);
    const double above_o = t.hidden(u - .006);
    const double tau_o = (1 - above_o) * 400 + above_o * 6;
    const double tau_so = 30.0181 + (.9957 - 30.0181) * t.rising(2.0458, u - .65);
    const double fast_in = -v * t.switched(u - .3) * (u - .3) * (1.55 - u) * (1 / .11);
    const double slow_out = u * (1 - above_w) / tau_o + above_w / tau_so;
    const double slow_in = -above_w * w * s * (1 / 1.8875);
    return fast_in + slow_out + slow_in;
  }

  template <class Terms>
  REPRISE_INLINED static void local_terms(const Terms& t, double dt, const double* z, double* r) {
    const gates g = gates_at(t, z[0]);
    r[0] = -current(t, z[0], z[1], z[2], z[3]);
    r[1] = gate_term<gates_by>(g.v, z[1], dt);
    r[2] = gate_term<gates_by>(g.w, z[2], dt);
    r[3] = gate_term<gates_by>(g.s, z[3], dt);
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

// use(Model{}, Terms{}) with the types for this problem under this method.
template <class Use>
auto with_types(const problem& p, method how, Use use) {
  const auto with_terms = [&](auto model_type) {
    return has_usual_terms(p) ? use(model_type, usual_terms{}) : use(model_type, chosen_terms{});
  };
  switch (p.what) {
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
