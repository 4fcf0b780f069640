// SPDX-License-Identifier: MIT
// The Runge-Kutta-Chebyshev method with the coefficients of Sommeijer, Shampine and Verwer (1998), (2.2)-(2.8). The
// Chebyshev polynomials and their derivatives come from hyperbolic functions.
#include "reference/curvature/chebyshev.hpp"

#include <Eigen/Core>
#include <cmath>

#include "reference/curvature/semi_discrete.hpp"

namespace reprise::reference::curvature {
namespace {

using Eigen::ArrayXd;
using surface = std::vector<double>;

ArrayXd array_of(const surface& u) {
  return Eigen::Map<const ArrayXd>(u.data(), static_cast<Eigen::Index>(u.size()));
}

surface surface_of(const ArrayXd& u) {
  return {u.begin(), u.end()};
}

// T_j, T_j' and T_j'' outside [-1, 1], in long double because the second derivative is a small difference.
struct chebyshev {
  long double value, slope, bend;

  chebyshev(int j, long double x) {
    const long double angle = std::acosh(x);
    value = std::cosh(j * angle);
    slope = j * std::sinh(j * angle) / std::sinh(angle);
    bend = (j * j * value - x * slope) / (x * x - 1);
  }
};

struct coefficients {
  int s;
  long double w0 = 1 + 2.0L / (13.0L * s * s);
  long double w1 = chebyshev(s, w0).slope / chebyshev(s, w0).bend;

  long double b(int j) const {
    if (j < 2) return b(2);
    const chebyshev t(j, w0);
    return t.bend / (t.slope * t.slope);
  }
  long double a(int j) const { return 1 - b(j) * chebyshev(j, w0).value; }
  // The time of y_j in units of the step.
  long double c(int j) const {
    if (j == 0) return 0;
    if (j == 1) return w1 * b(1);
    const chebyshev t(j, w0);
    return w1 * t.bend / t.slope;
  }
};

constexpr double margin = 1.05;
constexpr double reach = 1 / 1.54;  // of s stages, in units of s^2 - 1

}  // namespace

double spectral_radius(const problem& p, const surface& u, double t) {
  constexpr double disturbance = 1e-7;
  surface disturbed = u;
  for (int j = 1; j < p.cells_y; ++j)
    for (int i = 1; i < p.cells_x; ++i)
      disturbed[static_cast<std::size_t>(i + j * (p.cells_x + 1))] +=
          (i + j) % 2 == 0 ? disturbance : -disturbance;
  const ArrayXd change = array_of(rate(p, t, disturbed)) - array_of(rate(p, t, u));
  return change.abs().maxCoeff<Eigen::PropagateNaN>() / disturbance;
}

double longest_chebyshev_step(double radius) {
  constexpr double root = 999.5;  // of 1000 stages, away from the step at which another is needed
  return reach * (root * root - 1) / (margin * radius);
}

int chebyshev_stages(double tau, double radius) {
  const double root = std::sqrt(1 + tau * margin * radius / reach);
  if (!std::isfinite(root)) return 2;
  return root < 2 ? 2 : 1 + static_cast<int>(root);
}

attempt chebyshev_step(const problem& p, const surface& u, double t, double tau, double radius) {
  const int s = chebyshev_stages(tau, radius);
  const coefficients k{.s = s};
  const ArrayXd y0 = array_of(u);
  const ArrayXd f0 = rate(p, t, y0);
  ArrayXd before = y0;
  ArrayXd y = y0 + static_cast<double>(k.b(1) * k.w1) * tau * f0;
  for (int j = 2; j <= s; ++j) {
    const long double of_b = k.b(j) / k.b(j - 1);
    const auto mu = static_cast<double>(2 * k.w0 * of_b);
    const auto nu = static_cast<double>(-k.b(j) / k.b(j - 2));
    const auto kappa = static_cast<double>(2 * k.w1 * of_b);
    const auto a = static_cast<double>(k.a(j - 1));
    const ArrayXd f = rate(p, t + static_cast<double>(k.c(j - 1)) * tau, y);
    const ArrayXd next = y0 + mu * (y - y0) + nu * (before - y0) + kappa * tau * (f - a * f0);
    before = y;
    y = next;
  }
  const ArrayXd f1 = rate(p, t + tau, y);
  // rate() is zero at the border, where the step changes nothing.
  const ArrayXd e = (0.8 * (y0 - y) + 0.4 * tau * (f0 + f1)).abs();
  return {.u = surface_of(y), .error = e.maxCoeff<Eigen::PropagateNaN>(), .evaluations = s + 1};
}

}  // namespace reprise::reference::curvature
