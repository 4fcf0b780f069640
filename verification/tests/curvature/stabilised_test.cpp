// SPDX-License-Identifier: MIT
// Tests the stabilised method: its stages against the stability polynomial, its order, the number of its stages, the
// bound for the spectral radius against eigenvalues, and what it saves over Merson's method.
#include "solvers/curvature/stabilised.hpp"

#include <Eigen/Eigenvalues>

#include "reference/curvature/chebyshev.hpp"
#include "reference/curvature/integration.hpp"
#include "verification/tests/support/curvature_surfaces.hpp"
#include "verification/tests/support/measured_rows.hpp"

using namespace reprise::curvature::tests;

namespace {

// The polynomial of a step with s stages: a + b T_s(w0 + w1 z), for z <= 0. The bend is a small difference.
double polynomial(int s, double z) {
  const long double w0 = 1 + 2.0L / 13 / s / s;
  const long double angle = std::acosh(w0);
  const long double value = std::cosh(s * angle);
  const long double slope = s * std::sinh(s * angle) / std::sinh(angle);
  const long double bend = (s * s * value - w0 * slope) / (w0 * w0 - 1);
  const long double b = bend / (slope * slope);
  const long double x = w0 + slope / bend * z;
  const long double at_x = std::abs(x) <= 1 ? std::cos(s * std::acos(x))
                           : x > 1          ? std::cosh(s * std::acosh(x))
                                            : (s % 2 == 0 ? 1 : -1) * std::cosh(s * std::acosh(-x));
  return static_cast<double>(1 - b * value + b * at_x);
}

// One step of y' = z y from 1, by the solvers' stages.
double stepped(int s, double z) {
  chebyshev_stages weights(s);
  double before = 1;
  double y = 1 + weights.latest().kappa * z;
  for (int j = 2; j <= s; ++j) {
    weights.advance();
    const chebyshev_stage& w = weights.latest();
    const double next = w.mu * y + w.nu * before + w.rest() + z * (w.kappa * y + w.gamma);
    before = y;
    y = next;
  }
  CHECK_THAT(weights.latest().time, WithinAbs(1, 1e-10));
  return y;
}

// The largest magnitude of an eigenvalue of the reference's right-hand side.
double largest_eigenvalue(const problem& p, const surface& u) {
  constexpr double small = 1e-6;
  std::vector<std::size_t> inner;
  for (int j = 1; j < p.cells_y; ++j)
    for (int i = 1; i < p.cells_x; ++i) inner.push_back(node(p, i, j));
  const auto count = static_cast<Eigen::Index>(inner.size());
  Eigen::MatrixXd jacobian(count, count);
  for (Eigen::Index column = 0; column < count; ++column) {
    surface above = u;
    surface below = u;
    above[inner[static_cast<std::size_t>(column)]] += small;
    below[inner[static_cast<std::size_t>(column)]] -= small;
    const surface high = ref::rate(p, 0, above);
    const surface low = ref::rate(p, 0, below);
    for (Eigen::Index row = 0; row < count; ++row) {
      const std::size_t at = inner[static_cast<std::size_t>(row)];
      jacobian(row, column) = (high[at] - low[at]) / (2 * small);
    }
  }
  return jacobian.eigenvalues().cwiseAbs().maxCoeff();
}

// So many steps to t_end by the reference, each with so many stages.
surface stepped_with(int stages, const problem& p, double t_end, int count) {
  const double tau = t_end / count;
  const double radius = ((stages - .5) * (stages - .5) - 1) / 1.54 / 1.05 / tau;
  CHECK(ref::chebyshev_stages(tau, radius) == stages);
  surface u = p.u0;
  for (int n = 0; n < count; ++n) {
    u = ref::chebyshev_step(p, u, n * tau, tau, radius).u;
    ref::impose_border(p, (n + 1) * tau, u);
  }
  return u;
}

void check_order_two(double coarse, double fine) {
  const double order = std::log2(coarse / fine);
  CHECK(order > 1.8);
  CHECK(order < 2.3);
}

}  // namespace

TEST_CASE("a step of the stabilised method is its polynomial, which is stable as far as its stages reach") {
  for (const int s : {2, 3, 4, 7, 20, 100, 1000}) {
    INFO(s << " stages");
    const double furthest = (1. * s * s - 1) / 1.54;
    CHECK(stages_for(furthest / 1.05 * .999, 1) == s);
    CHECK(stages_for(furthest / 1.05 * 1.001, 1) == s + 1);
    for (int part = 0; part <= 40; ++part) {
      const double z = -furthest * part / 40;
      const double growth = stepped(s, z);
      CHECK_THAT(growth, WithinAbs(polynomial(s, z), 1e-10 * s));
      CHECK(std::abs(growth) <= 1 + 1e-15 * s * s);  // rounding
    }
    // A step errs by a third power.
    check_order_two((stepped(s, -.02) - std::exp(-.02)) / .02, (stepped(s, -.01) - std::exp(-.01)) / .01);
  }
}

TEST_CASE("the stages of a step are at least two, and no radius makes them countless") {
  for (const double radius : {0.0, 1e-300, not_a_number, infinity}) CHECK(stages_for(1, radius) == 2);
  CHECK(stages_for(longest_step(3), 3) == 1000);
}

TEST_CASE("the reference's Chebyshev step of a linear mode is the polynomial, too") {
  for (flow motion : all_flows)
    for (const double z : {-.4, -3.0, -12.0}) {
      const linear_mode m = make_mode(motion, 5);
      const double tau = z / m.eigenvalue;
      const auto one = ref::chebyshev_steps(m.p, tau, 1);
      const int s = ref::chebyshev_stages(tau, ref::spectral_radius(m.p, m.p.u0, 0));
      INFO(to_string(motion) << ", " << z << ", " << s << " stages");
      for (std::size_t k = 0; k < one.u.size(); ++k)
        CHECK_THAT(one.u[k], WithinAbs(polynomial(s, z) * m.p.u0[k], 1e-13));
    }
}

TEST_CASE("the stabilised method has order two in every setting, with few stages and with many") {
  for_every_setting([](flow motion, boundary at_border) {
    const problem p = skew_problem(motion, at_border, 12, 9);
    const double t_end = 4 * largest_stable_step(p);
    const auto exact_in_time = ref::integrate(p, t_end, 1e-13).u;
    for (const int stages : {2, 3, 7, 12}) {
      INFO(stages << " stages");
      check_order_two(largest_difference(stepped_with(stages, p, t_end, 24), exact_in_time),
                      largest_difference(stepped_with(stages, p, t_end, 48), exact_in_time));
    }
  });
}

TEST_CASE("the disturbance that alternates finds the largest eigenvalue, within the method's margin") {
  for_every_setting([](flow motion, boundary at_border) {
    const problem smooth = skew_problem(motion, at_border, 12, 9);
    problem rough = smooth;
    if (at_border == boundary::neumann) rough.u0 = evolution_problem(motion, 12, 9).u0;
    for (const surface& u : {smooth.u0, rough.u0}) {
      const double bound = 1.05 * ref::spectral_radius(smooth, u, 0);
      const double largest = largest_eigenvalue(smooth, u);
      CHECK(bound >= largest);
      CHECK(bound < 4 * largest);
    }
  });
}

TEST_CASE("variants with a stabilised method are those whose names say so") {
  verification::for_every_target("curvature", [](const harness::target& on, const std::string&) {
    CHECK(is_stabilised(on.variant->id) ==
          (verification::made<solver>(on)->method() == integrator::chebyshev));
  });
}

TEST_CASE("a stabilised variant needs a fraction of Merson's evaluations for the errors of Table 4") {
  const problem p = manufactured_problem(flow::willmore, 32, 32);
  std::map<std::string, merson> ends;
  for (const std::string id : {"curvature/openmp", "curvature/openmp_rkc"}) {
    const auto s = verification::on_host<solver>(id);
    s->load(p, precision::double_);
    s->reset(make_control(p, .1, 1e-4));
    ref::space_time_norms norms(.005);
    norms.add(p, s->surface(), 0);
    for (int k = 1; k <= 20; ++k) {
      ends[id] = s->advance(.005 * k);
      norms.add(p, s->surface(), .005 * k);
    }
    check_digits(norms.result(), willmore_rows.back());
  }
  CHECK(5 * ends["curvature/openmp_rkc"].evaluations < ends["curvature/openmp"].evaluations);
}

TEST_CASE("what is saved is counted against the cheapest of Merson's runs with the same errors") {
  using testing::measured_row;
  std::vector<reports::row> rows;
  const auto add = [&](const std::string& variant, const std::string& parameter, double error, double count) {
    for (const char* const norm : {"error_l1", "error_l2", "error_linf"})
      rows.push_back(measured_row(variant, "9x9", parameter, norm, error));
    rows.push_back(measured_row(variant, "9x9", parameter, "rhs_evaluations", count));
  };
  add("curvature/openmp_rkc", "flow=willmore;eps=1e-05", 1, 10);
  add("curvature/openmp", "flow=willmore", .95, 300);
  add("curvature/openmp", "flow=willmore;eps=1e-05", 1.05, 200);
  add("curvature/openmp", "flow=willmore;eps=0.0001", 1.2, 100);    // larger errors
  add("curvature/openmp", "flow=mean_curvature;eps=1e-05", 1, 50);  // another problem
  const auto derived = verification::experiment_of("curvature/stabilised").derive(rows);
  CHECK(testing::row_of(derived, "evaluations_saved").value == 20);
}
