// SPDX-License-Identifier: MIT
// Tests the angiogenesis reference against hand-computed numbers, known properties of the matrix,
// exact solutions, and itself.
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include "reference/angiogenesis/linear_systems.hpp"
#include "reference/angiogenesis/manufactured.hpp"
#include "verification/checkers/norms.hpp"
#include "verification/tests/support/angiogenesis_systems.hpp"
#include "verification/tests/support/orders.hpp"

using namespace reprise::angiogenesis::tests;
using checkers::max_relative_error;
using ref::state;
using testing::order_of;

namespace {

problem of_three_nodes(const parameters& with, taxis reading = taxis::nodal) {
  return empty_problem(with, reading, 3, .5);
}

state three_nodes() {
  state u(12);
  u << 1, 2, 4, .5, 1, 2, 1, 3, 2, 2, 1, 5;
  return u;
}

void check_values(const state& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == static_cast<Eigen::Index>(expected.size()));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    INFO("value " << k);
    CHECK_THAT(values(static_cast<Eigen::Index>(k)), WithinAbs(expected[k], 1e-12));
  }
}

problem usual(const parameters& with, int nodes, double dt, taxis reading = taxis::nodal) {
  return make_problem(with, reading, start::smooth, nodes, dt);
}

// A state without any symmetry.
state uneven(const problem& p) {
  state u(p.unknowns());
  for (Eigen::Index k = 0; k < u.size(); ++k) u(k) = 1 + .5 * std::sin(1.7 * static_cast<double>(k) + .3);
  return u;
}

double largest(const state& values) {
  return values.cwiseAbs().maxCoeff();
}

std::vector<int> swaps_of_elimination(const problem& p) {
  const Eigen::MatrixXd a(ref::implicit_matrix(p));
  const auto where = Eigen::PartialPivLU<Eigen::MatrixXd>(a).permutationP().indices().eval();
  std::vector<int> columns;
  for (int k = 0; k < where.size(); ++k)
    if (where[k] > k) columns.push_back(k);
  return columns;
}

}  // namespace

TEST_CASE("taxis and reactions at three nodes are what one computes by hand") {
  const auto check_rate = [](const parameters& given, const std::vector<double>& expected,
                             taxis reading = taxis::nodal) {
    check_values(ref::nonlinear_rate(of_three_nodes(given, reading), three_nodes()), expected);
  };
  const std::vector<double> attracted{16, -21, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  check_rate({.a2 = 1, .eps = .45}, attracted);
  check_rate({.a2 = 1, .eps = .45}, attracted, taxis::analytic);
  check_rate({.a2 = 1, .eps = .45}, {24, -24, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0}, taxis::conservative);
  check_rate({.a1 = .5, .eps = .45}, {4, -24.5, 64, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  check_rate({.k1 = 2, .k2 = 3, .k3 = 5, .eps = .45},
             {0, -4, -24, -2.5, -15, -20, -2.5, -15, -20, -3, -3, -30});
}

TEST_CASE("the linear operator at three nodes is what one computes by hand") {
  const auto check_operator = [](const parameters& given, const std::vector<double>& expected) {
    check_values(ref::linear_operator(of_three_nodes(given)) * three_nodes(), expected);
  };
  check_operator({.d_c = .25, .d_i = .5, .eps = .45}, {2, 1, -4, 0, 0, 0, 8, -6, 4, 0, 0, 0});
  check_operator({.d_p = 1, .k6 = 2, .eps = .45}, {0, 0, 0, 3, 0, -12, 0, 0, 0, 0, 0, 0});
  const double t0 = std::exp(-1 / .45), t1 = std::exp(-.25 / .45);
  check_operator({.k4 = 2, .eps = .45}, {0, 0, 0, 2 * t0, 4 * t1, 8, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("the tumour's factor acts on C by its gradient") {
  const parameters with{.a3 = 2, .a4 = 3, .eps = .45};
  const double t0 = std::exp(-1 / .45), t1 = std::exp(-.25 / .45), t2 = 1;
  const double f0 = 2 * 1 / (1 + 3 * t0), f1 = 2 * 2 / (1 + 3 * t1), f2 = 2 * 4 / (1 + 3 * t2);
  const state nodal = ref::nonlinear_rate(of_three_nodes(with), three_nodes());
  check_values(nodal.head(3), {-f0 * 8 * (t1 - t0), -((f2 - f0) * (t2 - t0) + f1 * 4 * (t0 - 2 * t1 + t2)),
                               -f2 * 8 * (t1 - t2)});
  // psi = T_x / (1 + a4 T), differentiated numerically.
  const auto psi = [](double x) {
    const double t = std::exp(-(1 - x) * (1 - x) / .45);
    return 2 * (1 - x) / .45 * t / (1 + 3 * t);
  };
  const auto psi_x = [&](double x) { return (psi(x + 1e-6) - psi(x - 1e-6)) / 2e-6; };
  const state analytic = ref::nonlinear_rate(of_three_nodes(with, taxis::analytic), three_nodes());
  CHECK_THAT(analytic(0), WithinAbs(-2 * psi_x(0) * 1, 1e-8));
  CHECK_THAT(analytic(1), WithinAbs(-2 * (psi_x(.5) * 2 + psi(.5) * 3), 1e-8));
  CHECK_THAT(analytic(2), WithinAbs(-2 * psi_x(1) * 4, 1e-8));
}

TEST_CASE("conservative taxis keeps the mass of C and the nodal product rule does not") {
  for (const parameters& with : {slow_parameters(), fast_parameters()}) {
    const problem conservative = usual(with, 57, 1e-3, taxis::conservative);
    const state u = uneven(conservative);
    CHECK(std::abs(ref::mass_source_of_taxis(conservative, u)) < 1e-10);
    CHECK(std::abs(ref::mass_source_of_taxis(usual(with, 57, 1e-3), u)) > 1e-2);
    CHECK(std::abs(ref::mass_source_of_taxis(usual(with, 57, 1e-3, taxis::analytic), u)) > 1e-2);
  }
}

TEST_CASE("A and B are the identity less and plus half a step of L") {
  const problem p = usual(fast_parameters(), 12, .02);
  const Eigen::MatrixXd a(ref::implicit_matrix(p)), b(ref::explicit_matrix(p)), l(ref::linear_operator(p));

  CHECK((a + b - 2 * Eigen::MatrixXd::Identity(48, 48)).cwiseAbs().maxCoeff() == 0);
  CHECK((b - a - .02 * l).cwiseAbs().maxCoeff() < 1e-14);
  CHECK(ref::implicit_matrix(p).nonZeros() == 11 * 12 - 6);
}

TEST_CASE("the eigenvalues of A are real, at least one and bounded by diffusion") {
  for (double dt : {1e-3, .1}) {
    const problem p = usual(slow_parameters(), 20, dt);
    const Eigen::MatrixXd a(ref::implicit_matrix(p));
    const auto values = Eigen::EigenSolver<Eigen::MatrixXd>(a, false).eigenvalues().eval();

    CHECK(values.imag().cwiseAbs().maxCoeff() < 1e-10);
    CHECK_THAT(values.real().minCoeff(), WithinAbs(1, 1e-12));
    CHECK(values.real().maxCoeff() <= 1 + dt / 2 * (4 * .005 * 19 * 19 + .05) + 1e-12);
  }
}

TEST_CASE("the structured solution in long double is that of the full matrix") {
  for (const problem& p : {usual(slow_parameters(), 3, .1), usual(fast_parameters(), 41, .03)}) {
    const state b = uneven(p);
    const Eigen::MatrixXd a(ref::implicit_matrix(p));
    CHECK(max_relative_error(ref::solve_precisely(p, b), ref::solve_precisely(a, b)) < 1e-15);
    CHECK_THAT(ref::condition(p), WithinRel(ref::examine(a).condition, 1e-10));
  }
}

TEST_CASE("elimination swaps rows where the rule says and nowhere else") {
  int swaps = 0;
  for (const parameters& with : {slow_parameters(), fast_parameters()})
    for (int nodes : {3, 4, 5, 13, 40, 100})
      for (double dt : {1e-3, 1e-2, .05, .1, 1.0, 10.0}) {
        const problem p = usual(with, nodes, dt);
        INFO(nodes << " nodes, dt " << dt << ", eps " << with.eps);
        CHECK(ref::swapped_columns(p) == swaps_of_elimination(p));
        swaps += static_cast<int>(ref::swapped_columns(p).size());
      }
  CHECK(swaps > 40);
  CHECK(ref::swapped_columns(stress_case().problem).size() == 2);
}

TEST_CASE("the rule gives the columns that are known for 400 nodes") {
  CHECK(ref::swapped_columns(usual(slow_parameters(), 400, 1e-3)).empty());
  CHECK(ref::swapped_columns(usual(slow_parameters(), 800, 1e-3)).empty());
  CHECK(ref::swapped_columns(usual(slow_parameters(), 400, 1e-2)) == std::vector<int>{798, 1198});
  CHECK(ref::swapped_columns(usual(fast_parameters(), 400, 1e-3)) == std::vector<int>{398, 798, 1198});
}

TEST_CASE("the rule's threshold is dt d / h^2 = 4 where the decay is small") {
  parameters with = slow_parameters();
  with.k6 = 0;
  const double h = 1.0 / 199;
  CHECK(ref::swapped_columns(usual(with, 200, 3.99 * h * h / .005)).empty());
  CHECK(ref::swapped_columns(usual(with, 200, 4.01 * h * h / .005)) == std::vector<int>{398, 598});
}

TEST_CASE("the reference's steps in double and in long double agree to rounding") {
  for (const named_case& c : {default_case(), stress_case(), smooth_case()}) {
    INFO(c.name);
    const ref::stepped plain = ref::steps(c.problem, c.steps);
    const ref::stepped precise = ref::steps_precisely(c.problem, c.steps);
    CHECK(max_relative_error(plain.u, precise.u) < 1e-13);
    CHECK(plain.clipped == precise.clipped);
    CHECK((plain.clipped > 0) == (c.name == "stress"));
  }
}

TEST_CASE("the manufactured solution satisfies every reading to second order in h") {
  for (const parameters& with : {slow_parameters(), fast_parameters()})
    for (taxis reading : all_readings) {
      const auto fit = order_of({41, 81, 161, 321}, 1e-11, [&](int nodes) {
        const problem p = empty_problem(with, reading, nodes, 1e-3);
        constexpr double t = .7, by = 1e-3;
        const state change = (8 * (ref::manufactured(p, t + by) - ref::manufactured(p, t - by)) -
                              (ref::manufactured(p, t + 2 * by) - ref::manufactured(p, t - 2 * by))) /
                             (12 * by);
        const state defect = ref::rate(p, ref::manufactured(p, t)) + ref::manufactured_source(p, t) - change;
        return std::pair{p.h(), largest(defect)};
      });
      INFO(to_string(reading) << " order " << fit.order);
      CHECK_THAT(fit.order, WithinAbs(2, .05));
    }
}

TEST_CASE("the paper's steps converge with order two in space where time does not matter") {
  for (taxis reading : all_readings) {
    const auto fit = order_of({11, 21, 41}, 1e-13, [&](int nodes) {
      const double h = 1.0 / (nodes - 1);
      problem p = empty_problem(fast_parameters(), reading, nodes, .2 * h * h);
      const state start = ref::manufactured(p, 0);
      p.u0.assign(start.data(), start.data() + start.size());
      const int count = static_cast<int>(std::lround(.1 / p.dt));
      const auto run = ref::steps(p, count, [&](double t) { return ref::manufactured_source(p, t); });
      return std::pair{h, largest(run.u - ref::manufactured(p, count * p.dt))};
    });
    INFO(to_string(reading) << " order " << fit.order);
    CHECK_THAT(fit.order, WithinAbs(2, .15));
  }
}

TEST_CASE("the paper's steps converge with order one in time to the semi-discrete solution") {
  for (taxis reading : all_readings) {
    const auto fit = order_of({20, 40, 80, 160, 320}, 1e-11, [&](int count) {
      const problem p = usual(fast_parameters(), 31, .1 / count, reading);
      return std::pair{p.dt, largest(ref::steps(p, count).u - ref::integrate(p, .1, 1e-12))};
    });
    INFO(to_string(reading) << " order " << fit.order);
    CHECK_THAT(fit.order, WithinAbs(1, .03));
  }
}

TEST_CASE("without explicit terms the steps are those of Crank and Nicolson, of order two") {
  parameters with = fast_parameters();
  with.k1 = with.k2 = with.k3 = with.k5 = with.a1 = with.a2 = with.a3 = 0;
  const state exact = ref::integrate(usual(with, 31, 1), .1, 1e-13);
  const auto fit = order_of({10, 20, 40, 80}, 1e-12, [&](int count) {
    return std::pair{.1 / count, largest(ref::steps(usual(with, 31, .1 / count), count).u - exact)};
  });
  CHECK_THAT(fit.order, WithinAbs(2, .03));
}

TEST_CASE("the integration keeps its tolerance where the solution is known") {
  const problem p = usual({.k6 = 2, .eps = .45}, 3, 1);
  const double start = p.u0[3];
  for (double tolerance : {1e-6, 1e-9, 1e-12})
    CHECK(std::abs(ref::integrate(p, 3, tolerance)(3) - start * std::exp(-6.0)) < 10 * tolerance);
}

TEST_CASE("the angiogenesis reference refuses what it cannot work with") {
  const problem p = usual(slow_parameters(), 9, 1e-3);
  CHECK_THROWS_AS(ref::nonlinear_rate(p, state::Ones(35)), std::invalid_argument);
  CHECK_THROWS_AS(ref::mass(p, state::Ones(9), field::c), std::invalid_argument);
  CHECK_THROWS_AS(ref::integrate(p, 0, 1e-9), std::invalid_argument);
  CHECK_THROWS_AS(ref::integrate(p, 1, -1), std::invalid_argument);
  CHECK_THROWS_AS(ref::steps(of_three_nodes({.eps = .45}), 1), std::invalid_argument);
}
