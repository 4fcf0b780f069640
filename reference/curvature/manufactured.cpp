// SPDX-License-Identifier: MIT
// The manufactured solution zeta = cos(pi t) (x - 1)(y - 1) exp(-(x^2 + y^2)), the forcing that makes it
// exact, and errors against it.
#include "reference/curvature/manufactured.hpp"

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "reference/curvature/jet.hpp"
#include "reference/curvature/paper.hpp"
#include "reference/curvature/surface.hpp"

namespace reprise::reference::curvature {
namespace {

using std::numbers::pi;

// zeta = c(t) X(x) X(y). A profile holds the Taylor coefficients of X.
template <int Order>
using profile = std::array<double, Order + 1>;

template <int Order>
profile<Order> profile_near(double s) {
  const auto x = jet<Order>::x_near(s);
  const auto value = (-1.0 + x) * exp(-1.0 * x * x);
  profile<Order> coefficients{};
  for (int m = 0; m <= Order; ++m) coefficients[static_cast<std::size_t>(m)] = value(m, 0);
  return coefficients;
}

template <int Order>
jet<Order> product(double c, const profile<Order>& x, const profile<Order>& y) {
  return from_lowest<Order>([&](const auto&, int m, int n) {
    return c * x[static_cast<std::size_t>(m)] * y[static_cast<std::size_t>(n)];
  });
}

// The gradient of a surface and Q.
template <int Order>
struct slopes {
  jet<Order> x, y, q;
};

template <int Order>
slopes<Order - 1> slopes_of(const jet<Order>& u) {
  const auto x = d_dx(u);
  const auto y = d_dy(u);
  return {x, y, sqrt(1.0 + (x * x + y * y))};
}

// w = Q div(grad u / Q).
template <int Order>
jet<Order - 1> curvature_of(const slopes<Order>& p) {
  return p.q * (d_dx(p.x / p.q) + d_dy(p.y / p.q));
}

// Minus the right-hand side of the flow without forcing. The forcing F is zeta_t plus this.
double mean_curvature_part(const jet<2>& zeta) {
  return -curvature_of(slopes_of(zeta)).value();
}

// Minus the right-hand side of Willmore flow: Q div((I - p p^T / Q^2) grad w / Q - w^2 / (2 Q^3) p).
double willmore_part(const jet<4>& zeta) {
  const auto p = slopes_of(zeta);
  const auto w = curvature_of(p);
  const auto wx = d_dx(w);
  const auto wy = d_dy(w);
  const auto pull = (p.x * wx + p.y * wy + 0.5 * w * w) / (p.q * p.q);
  return (p.q * (d_dx((wx - pull * p.x) / p.q) + d_dy((wy - pull * p.y) / p.q))).value();
}

template <int Order, class Part>
void add_forcing_with(const problem& p, double t, Part part, Eigen::Ref<Eigen::ArrayXXd> to) {
  std::vector<profile<Order>> in_x;
  std::vector<profile<Order>> in_y;
  for (int i = 0; i < p.nodes_x(); ++i) in_x.push_back(profile_near<Order>(x_at(p, i)));
  for (int j = 0; j < p.nodes_y(); ++j) in_y.push_back(profile_near<Order>(y_at(p, j)));
  const double c = std::cos(pi * t);
  const double dc_dt = -pi * std::sin(pi * t);
#pragma omp parallel for if (p.nodes() >= worth_threads)
  for (std::size_t j = 0; j < in_y.size(); ++j)
    for (std::size_t i = 0; i < in_x.size(); ++i)
      to(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) +=
          dc_dt * in_x[i][0] * in_y[j][0] + part(product<Order>(c, in_x[i], in_y[j]));
}

}  // namespace

double exact_at(double x, double y, double t) {
  return std::cos(pi * t) * ((x - 1) * (y - 1) * std::exp(-(x * x + y * y)));
}

std::vector<double> exact(const problem& p, double t) {
  if (p.boundary != reprise::curvature::boundary::manufactured)
    throw std::invalid_argument("only the manufactured problem has an exact solution");
  std::vector<double> u(p.nodes());
  auto nodes = on_grid(p, u);
#pragma omp parallel for if (p.nodes() >= worth_threads)
  for (int j = 0; j < p.nodes_y(); ++j)
    for (int i = 0; i < p.nodes_x(); ++i) nodes(i, j) = exact_at(x_at(p, i), y_at(p, j), t);
  return u;
}

void add_forcing(const problem& p, double t, Eigen::Ref<Eigen::ArrayXXd> to) {
  if (p.boundary != reprise::curvature::boundary::manufactured) return;
  p.flow == reprise::curvature::flow::mean_curvature ? add_forcing_with<2>(p, t, mean_curvature_part, to)
                                                     : add_forcing_with<4>(p, t, willmore_part, to);
}

std::vector<double> forcing(const problem& p, double t) {
  std::vector<double> f(p.nodes());
  add_forcing(p, t, on_grid(p, f));
  return f;
}

void space_time_norms::add(const problem& p, const std::vector<double>& u, double t) {
  const std::vector<double> zeta = exact(p, t);
  const Eigen::ArrayXXd difference = (on_grid(p, u) - on_grid(p, zeta)).abs();
  const double weight = theta_ * spacing_x(p) * spacing_y(p);
  sum_ += weight * difference.sum();
  sum_of_squares_ += weight * difference.square().sum();
  const double largest = difference.maxCoeff<Eigen::PropagateNaN>();
  if (!std::isnan(largest_) && !(largest <= largest_)) largest_ = largest;
}

norms space_time_norms::result() const {
  return {.l1 = sum_, .l2 = std::sqrt(sum_of_squares_), .linf = largest_};
}

}  // namespace reprise::reference::curvature
