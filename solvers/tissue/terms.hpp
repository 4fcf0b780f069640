// SPDX-License-Identifier: MIT
// Building blocks of the models' terms: the switch, and what replaces a tanh or a power.
// Place: the smoothed step of section 2.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "solvers/common/base/host_device.hpp"

namespace reprise::tissue {

// The form of the models' switch H over its layer |x| < 1/(2k): from a jump to increasingly smooth
// polynomials of y = k x + 1/2. The paper's is cubic. The form tanh, (1 + tanh(3 k x)) / 2, has the
// cubic's slope at zero and no layer.
enum class switch_form { heaviside, linear, cubic, quintic, septic, nonic, tanh };
constexpr std::array<switch_form, 7> all_switch_forms{
    switch_form::heaviside, switch_form::linear, switch_form::cubic, switch_form::quintic,
    switch_form::septic,    switch_form::nonic,  switch_form::tanh};
constexpr std::string_view to_string(switch_form f) {
  constexpr std::array<std::string_view, 7> names{"heaviside", "linear", "cubic", "quintic",
                                                  "septic",    "nonic",  "tanh"};
  return names.at(static_cast<std::size_t>(f));
}

// The paper's polynomial switch. y is the position in its layer, from 0 to 1.
template <class Real>
REPRISE_INLINED Real cubic_switch(Real k, Real x) {
  const Real raw = k * x + Real(.5);
  const Real y = raw < 0 ? 0 : raw > 1 ? 1 : raw;
  return y * y * (3 - 2 * y);
}

REPRISE_INLINED double heaviside(double x) {
  return x > 0 ? 1 : x < 0 ? 0 : .5;
}

// (1 + tanh(a x)) / 2
template <class Real>
REPRISE_INLINED Real logistic(Real a, Real x) {
  return 1 / (1 + std::exp(-2 * a * x));
}

// Building blocks of the models' terms as the paper has them, except that v^6 is made by multiplication.
template <class Real>
struct usual_terms_in {
  Real k;

  REPRISE_INLINED Real switched(Real x) const { return cubic_switch(k, x); }
  // The switch between time constants and between targets.
  REPRISE_INLINED Real hidden(Real x) const { return switched(x); }
  // (1 + tanh(a x)) / 2
  REPRISE_INLINED Real rising(Real a, Real x) const { return logistic(a, x); }
  REPRISE_INLINED Real sixth_power(Real v) const {
    const Real v2 = v * v;
    return v2 * v2 * v2;
  }
  REPRISE_INLINED Real exponential(Real x) const { return std::exp(x); }
};
using usual_terms = usual_terms_in<double>;

// The same building blocks with the options of a problem, in double precision alone.
struct chosen_terms {
  double k;
  switch_form form;
  bool has_sharp_constants, replaces_tanh, multiplies_powers;

  REPRISE_INLINED double switched(double x) const {
    const double z = k * x;
    if (form == switch_form::tanh) return logistic(3., z);
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
  // A cubic switch that replaces the tanh has the same slope at zero.
  REPRISE_INLINED double rising(double a, double x) const {
    return replaces_tanh ? cubic_switch(a / 3, x) : logistic(a, x);
  }
  REPRISE_INLINED double sixth_power(double v) const {
    if (!multiplies_powers) return std::pow(v, 6.0);
    return usual_terms{k}.sixth_power(v);
  }
  REPRISE_INLINED double exponential(double x) const { return std::exp(x); }
};

}  // namespace reprise::tissue
