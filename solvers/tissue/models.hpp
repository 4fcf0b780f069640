// SPDX-License-Identifier: MIT
// The local terms of the three models at one cell, for the host's variants.
// Place: (3), (4), (5) and the smoothed step of section 2; parameters of Bueno-Orovio's epicardial set.
#pragma once

#include <cmath>

#include "solvers/tissue/problem.hpp"

namespace reprise::tissue {

// The switch H of one form and steepness k; y runs from 0 to 1 through its layer.
template <switch_form form>
inline double switched(double k, double x) {
  const double z = k * x;
  if constexpr (form == switch_form::heaviside) {
    return z > 0 ? 1 : z < 0 ? 0 : .5;
  } else if constexpr (form == switch_form::tanh) {
    return .5 * (1 + std::tanh(3 * z));
  } else {
    const double raw = z + .5;
    const double y = raw < 0 ? 0 : raw > 1 ? 1 : raw;
    if constexpr (form == switch_form::linear) return y;
    if constexpr (form == switch_form::cubic) return y * y * (3 - 2 * y);
    if constexpr (form == switch_form::quintic) return y * y * y * (10 - y * (15 - 6 * y));
    if constexpr (form == switch_form::septic) return y * y * y * y * (35 - y * (84 - y * (70 - 20 * y)));
    if constexpr (form == switch_form::nonic)
      return y * y * y * y * y * (126 - y * (420 - y * (540 - y * (315 - 70 * y))));
  }
}

// Options that change the local terms.
struct local_options {
  double k;
  bool has_sharp_constants;
  bool replaces_tanh;
  bool multiplies_powers;
};

// tanh(a x), or twice a cubic switch of the same slope at zero, less one.
inline double bent(double a, double x, bool replaced) {
  return replaced ? 2 * switched<switch_form::cubic>(a / 3, x) - 1 : std::tanh(a * x);
}

template <switch_form form>
struct fitzhugh_nagumo {
  static constexpr int fields = 2;
  static void rates(const local_options&, const double* z, double* r) {
    const double u = z[0];
    const double v = z[1];
    r[0] = u - v - u * u * u;
    r[1] = .05 * (u - 1.5 * v + .1);
  }
};

template <switch_form form>
struct karma {
  static constexpr int fields = 2;
  static void rates(const local_options& o, const double* z, double* r) {
    constexpr double b = 1.5819767068693264;  // 1 / (1 - exp(-Re)), Re = 1
    const double u = z[0];
    const double v = z[1];
    const double v2 = v * v;
    const double v6 = o.multiplies_powers ? v2 * v2 * v2 : std::pow(v, 6.0);
    r[0] = (.5 * u * u * (1 - bent(1, u - 3, o.replaces_tanh)) * (1.5415 - v6) - u) / 2.5;
    // [b - v] H(u-1) - v H(1-u), as H(x) + H(-x) = 1
    r[1] = (b * switched<form>(o.k, u - 1) - v) / 250;
  }
};

// A gate's y' = a y + b.
struct gate {
  double a, b;
};

template <switch_form form>
struct bueno_orovio {
  static constexpr int fields = 4;

  struct gates {
    gate v, w, s;
  };

  // The switches between time constants and targets.
  static double hidden(const local_options& o, double x) {
    return o.has_sharp_constants ? switched<switch_form::heaviside>(o.k, x) : switched<form>(o.k, x);
  }

  static gates gates_at(const local_options& o, double u) {
    const double below_minus = hidden(o, .006 - u);  // th_v- and th_o are both 0.006
    const double above_minus = hidden(o, u - .006);
    const double tau_v_minus = below_minus * 60 + above_minus * 1150;
    const double tau_w_minus = 60 + (15 - 60) * .5 * (1 + bent(65, u - .03, o.replaces_tanh));
    const double v_inf = below_minus;
    const double w_inf = below_minus * (1 - u / .07) + above_minus * .94;
    const double above_v = switched<form>(o.k, u - .3);
    const double below_v = switched<form>(o.k, .3 - u);
    const double above_w = switched<form>(o.k, u - .13);
    const double below_w = switched<form>(o.k, .13 - u);
    const double tau_s = hidden(o, .13 - u) * 2.7342 + hidden(o, u - .13) * 16;
    const double s_inf = .5 * (1 + bent(2.0994, u - .9087, o.replaces_tanh));
    return {{-above_v / 1.4506 - below_v / tau_v_minus, below_v * v_inf / tau_v_minus},
            {-above_w / 200 - below_w / tau_w_minus, below_w * w_inf / tau_w_minus},
            {-1 / tau_s, s_inf / tau_s}};
  }

  // The sum of the currents.
  static double current(const local_options& o, double u, double v, double w, double s) {
    const double above_w = switched<form>(o.k, u - .13);
    const double below_w = switched<form>(o.k, .13 - u);
    const double tau_o = hidden(o, .006 - u) * 400 + hidden(o, u - .006) * 6;
    const double tau_so = 30.0181 + (.9957 - 30.0181) * .5 * (1 + bent(2.0458, u - .65, o.replaces_tanh));
    const double fast_in = -v * switched<form>(o.k, u - .3) * (u - .3) * (1.55 - u) / .11;
    const double slow_out = u * below_w / tau_o + above_w / tau_so;
    const double slow_in = -above_w * w * s / 1.8875;
    return fast_in + slow_out + slow_in;
  }

  static void rates(const local_options& o, const double* z, double* r) {
    const gates g = gates_at(o, z[0]);
    r[0] = -current(o, z[0], z[1], z[2], z[3]);
    r[1] = g.v.a * z[1] + g.v.b;
    r[2] = g.w.a * z[2] + g.w.b;
    r[3] = g.s.a * z[3] + g.s.b;
  }
};

// One step of a gate with its coefficients held.
inline double implicit_euler(gate g, double y, double dt) {
  return (y + dt * g.b) / (1 - dt * g.a);
}

inline double rush_larsen(gate g, double y, double dt) {
  const double y_inf = -g.b / g.a;
  return y_inf + (y - y_inf) * std::exp(dt * g.a);
}

}  // namespace reprise::tissue
