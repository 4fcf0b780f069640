// SPDX-License-Identifier: MIT
// The manufactured solution and the sources that make it exact.
//   C = (1 - cos pi x)^2 (4 + cos t) / 16      P = 3/10 + cos(pi x) exp(-t) / 10
//   I = 1/4 + cos(2 pi x) (2 + sin t) / 20     F = 2/5 + cos(pi x) cos(t) / 10
#include "reference/angiogenesis/manufactured.hpp"

#include <cmath>
#include <numbers>

namespace reprise::reference::angiogenesis {
namespace {

using std::numbers::pi;

// A value with the derivatives that the equations need.
struct jet {
  double value, t, x, xx;
};

struct jets {
  jet c, p, i, f;
};

jets exact_at(double x, double t) {
  const double wave = std::cos(pi * x), slope = -pi * std::sin(pi * x), bend = -pi * pi * wave;
  const double wave2 = std::cos(2 * pi * x), slope2 = -2 * pi * std::sin(2 * pi * x);
  const double hill = (1 - wave) * (1 - wave) / 16, height = 4 + std::cos(t);
  const double swing = (2 + std::sin(t)) / 20;
  return {{hill * height, -hill * std::sin(t), -(1 - wave) / 8 * slope * height,
           (slope * slope - (1 - wave) * bend) / 8 * height},
          {.3 + wave * std::exp(-t) / 10, -wave * std::exp(-t) / 10, slope * std::exp(-t) / 10,
           bend * std::exp(-t) / 10},
          {.25 + wave2 * swing, wave2 * std::cos(t) / 20, slope2 * swing, -4 * pi * pi * wave2 * swing},
          {.4 + wave * std::cos(t) / 10, -wave * std::sin(t) / 10, slope * std::cos(t) / 10,
           bend * std::cos(t) / 10}};
}

// The taxis term (s u_x)_x of a sensitivity s with slope s_x.
double taxis_at(double s, double s_x, const jet& u) {
  return s_x * u.x + s * u.xx;
}

// The sources of C, P, I and F: the time derivative minus the rest of the right-hand side.
std::array<double, 4> source_at(const reprise::angiogenesis::parameters& with, double x, double t) {
  const auto [c, p, i, f] = exact_at(x, t);
  const double value = std::exp(-(1 - x) * (1 - x) / with.eps);
  const double towards = 2 * (1 - x) / with.eps;
  const jet tumour{value, 0, towards * value, (towards * towards - 2 / with.eps) * value};
  const double saturation = 1 + with.a4 * tumour.value;
  const double sensitivity = with.a3 * c.value / saturation;
  const double sensitivity_x =
      with.a3 * (c.x * saturation - c.value * with.a4 * tumour.x) / (saturation * saturation);
  const double binding = with.k3 * p.value * i.value;
  return {c.t - with.d_c * c.xx - taxis_at(with.a2 * c.value, with.a2 * c.x, i) +
              taxis_at(with.a1 * c.value, with.a1 * c.x, f) + taxis_at(sensitivity, sensitivity_x, tumour) -
              with.k1 * c.value * (1 - c.value),
          p.t - with.d_p * p.xx + binding - with.k4 * tumour.value * c.value - with.k5 * tumour.value +
              with.k6 * p.value,
          i.t - with.d_i * i.xx + binding, f.t + with.k2 * p.value * f.value};
}

template <class Values>
state at_nodes(const problem& p, Values values) {
  state u(p.unknowns());
  for (int i = 0; i < p.nodes; ++i) {
    const std::array<double, 4> here = values(p.x(i));
    for (int f = 0; f < 4; ++f) u(f * p.nodes + i) = here[static_cast<std::size_t>(f)];
  }
  return u;
}

}  // namespace

state manufactured(const problem& p, double t) {
  return at_nodes(p, [t](double x) {
    const jets all = exact_at(x, t);
    return std::array<double, 4>{all.c.value, all.p.value, all.i.value, all.f.value};
  });
}

state manufactured_source(const problem& p, double t) {
  return at_nodes(p, [&](double x) { return source_at(p.parameters, x, t); });
}

}  // namespace reprise::reference::angiogenesis
