// SPDX-License-Identifier: MIT
// Tests the curvature reference in space: its forcing against finite differences of the equations, and its
// scheme and measures against planes, spheres and the exact solution.
#include <numbers>

#include "reference/curvature/jet.hpp"
#include "verification/tests/support/curvature_surfaces.hpp"

using namespace reprise::curvature::tests;

namespace {

// The largest |f - g| over the nodes that are at least `margin` nodes away from the border.
double largest_inside(const problem& p, const surface& f, const std::function<double(double, double)>& g,
                      int margin) {
  double largest = 0;
  for (int j = margin; j <= p.cells_y - margin; ++j)
    for (int i = margin; i <= p.cells_x - margin; ++i)
      largest = larger(largest, std::abs(f[node(p, i, j)] - g(p.x(i), p.y(j))));
  return largest;
}

double zeta_t(double x, double y, double t) {
  return -std::numbers::pi * std::sin(std::numbers::pi * t) * (x - 1) * (y - 1) * std::exp(-x * x - y * y);
}

// Central differences of order eight. Four nested ones leave seven accurate digits of long double.
using real = long double;
using field = std::function<real(real, real)>;

real difference(const std::function<real(real)>& f) {
  constexpr real h = .01L;
  constexpr std::array<real, 4> weights{4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
  real sum = 0;
  for (int k = 1; k <= 4; ++k)
    sum += weights[static_cast<std::size_t>(k - 1)] *
           (f(static_cast<real>(k) * h) - f(static_cast<real>(-k) * h));
  return sum / h;
}
field d_dx(const field& f) {
  return [f](real x, real y) { return difference([&](real s) { return f(x + s, y); }); };
}
field d_dy(const field& f) {
  return [f](real x, real y) { return difference([&](real s) { return f(x, y + s); }); };
}

// The forcing F of both flows at a point, with every derivative in the equation replaced by a difference.
real forcing_by_differences(flow motion, real x, real y, real t) {
  const real c = std::cos(std::numbers::pi_v<real> * t);
  const field zeta = [c](real a, real b) { return c * (a - 1) * (b - 1) * std::exp(-a * a - b * b); };
  const field px = d_dx(zeta);
  const field py = d_dy(zeta);
  const auto q_at = [&](real a, real b) { return std::sqrt(1 + px(a, b) * px(a, b) + py(a, b) * py(a, b)); };
  const field unit_x = [&](real a, real b) { return px(a, b) / q_at(a, b); };
  const field unit_y = [&](real a, real b) { return py(a, b) / q_at(a, b); };
  const field div_x = d_dx(unit_x);
  const field div_y = d_dy(unit_y);
  const field w = [&](real a, real b) { return q_at(a, b) * (div_x(a, b) + div_y(a, b)); };
  const real rate = zeta_t(static_cast<double>(x), static_cast<double>(y), static_cast<double>(t));
  if (motion == flow::mean_curvature) return rate - w(x, y);
  const field wx = d_dx(w);
  const field wy = d_dy(w);
  const auto flux = [&](real a, real b, bool along_x) {
    const real p1 = px(a, b);
    const real p2 = py(a, b);
    const real q = q_at(a, b);
    const real w1 = wx(a, b);
    const real w2 = wy(a, b);
    const real e_grad_w = along_x ? (1 - p1 * p1 / (q * q)) / q * w1 - p1 * p2 / (q * q * q) * w2
                                  : (1 - p2 * p2 / (q * q)) / q * w2 - p1 * p2 / (q * q * q) * w1;
    const real here = w(a, b);
    return e_grad_w - here * here / (2 * q * q * q) * (along_x ? p1 : p2);
  };
  const field flux_x = [&](real a, real b) { return flux(a, b, true); };
  const field flux_y = [&](real a, real b) { return flux(a, b, false); };
  return rate + q_at(x, y) * (d_dx(flux_x)(x, y) + d_dy(flux_y)(x, y));
}

// The upper half of a sphere over the square: u = sqrt(R^2 - x^2 - y^2) has
// div(grad u / Q) = -2/R and Q = R/u.
constexpr double radius = 4;
double cap(double x, double y) {
  return std::sqrt(radius * radius - x * x - y * y);
}

// The area of the sphere above |x| < a, |y| < b.
double cap_area(double a, double b) {
  const double ra = std::sqrt(radius * radius - a * a);
  const double rb = std::sqrt(radius * radius - b * b);
  return 4 * radius * (a * std::asin(b / ra) + b * std::asin(a / rb) - radius * std::asin(a * b / (ra * rb)));
}

}  // namespace

TEST_CASE("Taylor arithmetic keeps the rules of calculus") {
  const auto arbitrary = [](double first) {
    return ref::from_lowest<4>(
        [first](const auto&, int m, int n) { return first + std::sin(3. * m + 7 * n); });
  };
  const auto f = arbitrary(2);
  const auto g = arbitrary(1.5);
  const auto same = [](const auto& a, const auto& b) {
    for (int k = 0; k <= 3; ++k)
      for (int n = 0; n <= k; ++n) CHECK_THAT(a(k - n, n), WithinAbs(b(k - n, n), 1e-11));
  };
  same(sqrt(f) * sqrt(f), f);
  same(f / g * g, f);
  same(ref::d_dx(exp(f)), exp(f) * ref::d_dx(f));
  same(ref::d_dy(exp(f)), exp(f) * ref::d_dy(f));
  same(ref::d_dx(f * g), f * ref::d_dx(g) + ref::d_dx(f) * g);
  same(ref::d_dy(f * g), f * ref::d_dy(g) + ref::d_dy(f) * g);
}

TEST_CASE("the forcing is what differences of the equations give") {
  for (flow motion : all_flows) {
    const problem p = manufactured_problem(motion, 20, 32);
    const double t = .07;
    const surface f = ref::forcing(p, t);
    const double largest = largest_difference(f, surface(f.size()));
    for (auto [i, j] : {std::pair{9, 14}, {10, 16}, {8, 19}, {12, 13}, {14, 20}}) {
      INFO(to_string(motion) << " at " << p.x(i) << ", " << p.y(j));
      const real expected = forcing_by_differences(motion, p.x(i), p.y(j), t);
      CHECK(std::abs(f[node(p, i, j)] - static_cast<double>(expected)) < 1e-7 * largest);
    }
  }
}

TEST_CASE("only the manufactured setting has a forcing and an exact solution") {
  for (boundary at_border : {boundary::dirichlet, boundary::neumann}) {
    const problem p = skew_problem(flow::willmore, at_border, 6, 5);
    CHECK(ref::forcing(p, .3) == surface(p.nodes()));
    CHECK_THROWS_AS(ref::exact(p, .3), std::invalid_argument);
  }
}

TEST_CASE("the manufactured problem begins at the exact solution") {
  const problem p = manufactured_problem(flow::willmore, 12, 17);
  CHECK(largest_difference(ref::exact(p, 0), p.u0) < 1e-15);
}

TEST_CASE("the rate at the exact solution tends to its derivative with order two") {
  const double t = .04;
  for (flow motion : all_flows) {
    const auto error = [&](int n) {
      const problem p = manufactured_problem(motion, n, n + n / 4);
      return largest_inside(
          p, ref::rate(p, t, ref::exact(p, t)), [t](double x, double y) { return zeta_t(x, y, t); }, n / 16);
    };
    const double order = std::log2(error(128) / error(256));
    INFO(to_string(motion) << ": order " << order);
    CHECK(order > 1.85);
    CHECK(order < 2.15);
  }
}

TEST_CASE("a plane with its values at the border rests") {
  for (flow motion : all_flows) {
    problem p = skew_problem(motion, boundary::dirichlet, 9, 14);
    p.u0 = sampled(p, [](double x, double y) { return .7 * x - 1.3 * y + .2; });
    CHECK(largest_difference(ref::rate(p, 0, p.u0), surface(p.nodes())) < 1e-9);
  }
}

TEST_CASE("a sphere moves by its mean curvature and rests in the Willmore flow") {
  const auto error = [](flow motion, int n) {
    problem p = skew_problem(motion, boundary::dirichlet, n, n + n / 2);
    p.u0 = sampled(p, cap);
    const auto speed = [motion](double x, double y) {
      return motion == flow::mean_curvature ? -2 / cap(x, y) : 0.0;
    };
    return largest_inside(p, ref::rate(p, 0, p.u0), speed, n / 4);
  };
  for (flow motion : all_flows) {
    const double ratio = error(motion, 32) / error(motion, 64);
    INFO(to_string(motion) << ": ratio " << ratio);
    CHECK(ratio > 3.5);
    CHECK(ratio < 4.5);
  }
  CHECK(error(flow::mean_curvature, 64) < 1e-3);
  CHECK(error(flow::willmore, 64) < 1e-3);
}

TEST_CASE("the scheme does not tell x from y") {
  for_every_setting([](flow motion, boundary at_border) {
    const problem p = skew_problem(motion, at_border, 34, 18);
    problem turned = skew_problem(motion, at_border, 18, 34);
    for (int j = 0; j < p.nodes_y(); ++j)
      for (int i = 0; i < p.nodes_x(); ++i) turned.u0[node(turned, j, i)] = p.u0[node(p, i, j)];
    const surface rates = ref::rate(p, .2, p.u0);
    const surface turned_rates = ref::rate(turned, .2, turned.u0);
    for (int j = 0; j < p.nodes_y(); ++j)
      for (int i = 0; i < p.nodes_x(); ++i) {
        const double expected = rates[node(p, i, j)];
        CHECK_THAT(turned_rates[node(turned, j, i)], WithinAbs(expected, 1e-10 * (1 + std::abs(expected))));
      }
  });
}

TEST_CASE("each setting has its own border") {
  const double t = .3;
  for (boundary at_border : all_boundaries) {
    const problem p = skew_problem(flow::mean_curvature, at_border, 5, 4);
    surface u(p.nodes());
    for (std::size_t k = 0; k < u.size(); ++k) u[k] = 100 + static_cast<double>(k);
    const surface before = u;
    ref::impose_border(p, t, u);
    for (int j = 0; j < p.nodes_y(); ++j)
      for (int i = 0; i < p.nodes_x(); ++i) {
        const std::size_t here = node(p, i, j);
        if (i > 0 && i < 5 && j > 0 && j < 4)
          CHECK(u[here] == before[here]);
        else if (at_border == boundary::manufactured)
          CHECK(u[here] == ref::exact(p, t)[here]);
        else if (at_border == boundary::dirichlet)
          CHECK(u[here] == p.u0[here]);
        else
          CHECK(u[here] == before[node(p, std::clamp(i, 1, 4), std::clamp(j, 1, 3))]);
      }
  }
}

TEST_CASE("a surface of another length is refused") {
  const problem p = skew_problem(flow::willmore, boundary::neumann, 6, 5);
  surface u(p.nodes() - 1);
  CHECK_THROWS_AS(ref::impose_border(p, 0, u), std::invalid_argument);
  CHECK_THROWS_AS(ref::rate(p, 0, u), std::invalid_argument);
  for (const ref::integrator method : {ref::integrator::merson, ref::integrator::chebyshev}) {
    ref::integration run;
    run.u = u;
    run.wanted = 1e-6;
    CHECK_THROWS_AS(ref::advance(p, run, 1e-6, {.eps = 1, .method = method}), std::invalid_argument);
  }
  CHECK_THROWS_AS(ref::area(p, u), std::invalid_argument);
  CHECK_THROWS_AS(ref::willmore_energy(p, u), std::invalid_argument);
}

TEST_CASE("the area of a plane is exact and that of a sphere is near") {
  const problem p = skew_problem(flow::mean_curvature, boundary::dirichlet, 9, 14);
  const surface plane = sampled(p, [](double x, double y) { return 2 * x - 3 * y; });
  CHECK_THAT(ref::area(p, plane), WithinRel(16 * std::sqrt(1 + 4.0 + 9.0), 1e-14));
  const problem fine = skew_problem(flow::mean_curvature, boundary::dirichlet, 64, 80);
  CHECK_THAT(ref::area(fine, sampled(fine, cap)), WithinRel(cap_area(2, 2), 1e-3));
}

TEST_CASE("the Willmore energy of a sphere is four over its radius squared times its area") {
  const problem p = skew_problem(flow::willmore, boundary::dirichlet, 64, 80);
  const double covered = cap_area(2 - p.h_x() / 2, 2 - p.h_y() / 2);  // area above the inner nodes' cells
  CHECK_THAT(ref::willmore_energy(p, sampled(p, cap)), WithinRel(4 / (radius * radius) * covered, 1e-3));
}

TEST_CASE("a sample's weight is theta and a node's is its cell") {
  const problem p = manufactured_problem(flow::mean_curvature, 4, 8);  // h_x = 2, h_y = 1, 45 nodes
  const int intervals = 5;
  const double theta = .01;
  ref::space_time_norms errors(theta);
  for (int k = 0; k <= intervals; ++k) {
    surface u = ref::exact(p, k * theta);
    for (double& value : u) value += .5;
    u[7] -= 3.5;
    errors.add(p, u, k * theta);
  }
  const auto n = errors.result();
  CHECK_THAT(n.l1, WithinRel(6 * theta * 2 * (44 * .5 + 3), 1e-12));
  CHECK_THAT(n.l2, WithinRel(std::sqrt(6 * theta * 2 * (44 * .25 + 9)), 1e-12));
  CHECK_THAT(n.linf, WithinRel(3.0, 1e-12));
}

TEST_CASE("one value that is not a number spoils every norm") {
  const problem p = manufactured_problem(flow::mean_curvature, 4, 4);
  ref::space_time_norms errors(.1);
  surface u = ref::exact(p, 0);
  u[11] = not_a_number;
  errors.add(p, u, 0);
  errors.add(p, ref::exact(p, .1), .1);
  const auto n = errors.result();
  for (double norm : {n.l1, n.l2, n.linf}) CHECK(std::isnan(norm));
}
