// SPDX-License-Identifier: MIT
// Tests the tissue reference: its Laplacian against matrices by hand and exact modes, its models against
// independently computed numbers, its steps against their orders.
#include <numbers>

#include "reference/tissue/reference.hpp"
#include "verification/tests/support/orders.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::tissue;
namespace ref = reference::tissue;

namespace {

constexpr std::array all_edges{edge::no_flux, edge::mirrored, edge::periodic};
constexpr double k = 28.4;

problem with_border(problem p, edge border) {
  p.border = border;
  return p;
}

problem with_form(problem p, switch_form form) {
  p.form = form;
  return p;
}

// 3 x 3 cells with equal values, so that nothing diffuses.
problem one_cell(model m, std::vector<double> values) {
  problem p = hill_problem(m, 3, 3, usual_spacing(m));
  for (std::size_t f = 0; f < p.state0.size(); ++f) p.state0[f].assign(p.cells(), values[f]);
  return p;
}

std::vector<double> rate_of_one_cell(const problem& p) {
  std::vector<double> rates;
  for (const std::vector<double>& field : ref::rate(p, p.state0)) rates.push_back(field[4]);
  return rates;
}

Eigen::VectorXd row(const problem& p, int cell) {
  return Eigen::MatrixXd(ref::weights_of(p)).row(cell);
}

Eigen::VectorXd nine(std::array<double, 9> values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), 9);
}

// cos(a pi x / L) cos(b pi y / L) on n x n cells of a unit square.
Eigen::VectorXd mode(const problem& p, int a, int b) {
  Eigen::VectorXd f(static_cast<Eigen::Index>(p.cells()));
  for (int j = 0; j < p.ny; ++j)
    for (int i = 0; i < p.nx; ++i)
      f[i + p.nx * j] = std::cos(a * std::numbers::pi * p.x(i)) * std::cos(b * std::numbers::pi * p.y(j));
  return f;
}

// The difference between the discrete Laplacian's eigenvalue of a mode and -|q|^2, relative to |q|^4.
double error_of_mode(int n, int a, int b) {
  const problem p = hill_problem(model::karma, n, n, 1.0 / n);
  const Eigen::VectorXd f = mode(p, a, b);
  const Eigen::VectorXd laplacian = ref::weights_of(p) * f / (6 * p.dx * p.dx);
  const double q2 = (a * a + b * b) * std::numbers::pi * std::numbers::pi;
  return (laplacian.dot(f) / f.dot(f) + q2) / (q2 * q2);
}

checkers::fitted_order order_of(const problem& p, method m, double t_end, double largest, int count,
                                const ref::state& exact) {
  return testing::order_of(testing::halvings(count), 1e-14, [&](int n) {
    const long taken = std::lround(t_end / largest) << n;
    const double dt = t_end / static_cast<double>(taken);
    return std::pair{dt, ref::relative_error(ref::steps(p, m, dt, taken), exact)};
  });
}

}  // namespace

TEST_CASE("the tissue Laplacian on 3 x 3 cells has the weights that a hand counts") {
  problem p = hill_problem(model::karma, 3, 3, .1);
  p.border = edge::no_flux;
  CHECK(row(p, 0) == nine({-11, 5, 0, 5, 1, 0, 0, 0, 0}));
  CHECK(row(p, 1) == nine({5, -16, 5, 1, 4, 1, 0, 0, 0}));
  CHECK(row(p, 8) == nine({0, 0, 0, 0, 1, 5, 0, 5, -11}));
  p.border = edge::mirrored;
  CHECK(row(p, 0) == nine({-20, 8, 0, 8, 4, 0, 0, 0, 0}));
  CHECK(row(p, 1) == nine({4, -20, 4, 2, 8, 2, 0, 0, 0}));
  CHECK(row(p, 8) == nine({0, 0, 0, 0, 4, 8, 0, 8, -20}));
  p.border = edge::periodic;
  CHECK(row(p, 0) == nine({-20, 4, 4, 4, 1, 1, 4, 1, 1}));
  CHECK(row(p, 1) == nine({4, -20, 4, 1, 4, 1, 1, 4, 1}));
  for (edge border : all_edges) CHECK(row(with_border(p, border), 4) == nine({1, 4, 1, 4, -20, 4, 1, 4, 1}));
}

TEST_CASE("the tissue Laplacian of a constant is zero everywhere, that of a plane inside") {
  for (edge border : all_edges) {
    const problem p = with_border(hill_problem(model::karma, 7, 5, .1), border);
    CHECK((ref::weights_of(p) * Eigen::VectorXd::Constant(35, 3.0)).isZero(0));
    Eigen::VectorXd plane(35);
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 7; ++i) plane[i + 7 * j] = 2 * i - 3 * j;
    const Eigen::VectorXd result = ref::weights_of(p) * plane;
    for (int j = 1; j < 4; ++j) CHECK(result.segment(1 + 7 * j, 5).isZero(0));
    CHECK_FALSE(result.isZero(0));
  }
}

TEST_CASE("diffusion loses nothing at borders without flux and round a torus") {
  problem p = hill_problem(model::karma, 7, 5, .1);
  const auto weights_of_columns = [&] {
    return Eigen::VectorXd(ref::weights_of(p).transpose() * Eigen::VectorXd::Ones(35));
  };
  CHECK(weights_of_columns().isZero(0));
  p.border = edge::periodic;
  CHECK(weights_of_columns().isZero(0));
  p.border = edge::mirrored;
  CHECK_FALSE(weights_of_columns().isZero(0));
}

TEST_CASE("the tissue Laplacian errs by h^2 / 12 of the biharmonic, in all directions alike") {
  for (const auto [a, b] : {std::array{5, 0}, std::array{3, 4}, std::array{4, 3}})
    CHECK_THAT(error_of_mode(128, a, b), WithinRel(1.0 / (12 * 128 * 128), .02));
  CHECK_THAT(error_of_mode(64, 3, 4) / error_of_mode(128, 3, 4), WithinRel(4, .01));
  CHECK_THAT(error_of_mode(128, 5, 0) / error_of_mode(128, 3, 4), WithinRel(1, .01));
}

TEST_CASE("every switch goes from zero to one, is a half in the middle and the rest of its mirror image") {
  for (switch_form form : all_switch_forms) {
    const bool has_tails = form == switch_form::tanh;
    CHECK_THAT(ref::switched(form, k, -.501 / k), WithinAbs(0, has_tails ? .05 : 0));
    CHECK_THAT(ref::switched(form, k, .501 / k), WithinAbs(1, has_tails ? .05 : 0));
    CHECK(ref::switched(form, k, 0) == .5);
    for (double x : {.002, .011, .0174})
      CHECK_THAT(ref::switched(form, k, x) + ref::switched(form, k, -x), WithinAbs(1, 1e-15));
    CHECK(std::isnan(ref::switched(form, k, not_a_number)));
  }
  CHECK_THAT(ref::switched(switch_form::cubic, k, .01), WithinRel(.784 * .784 * (3 - 2 * .784), 1e-14));
  CHECK_THAT(ref::switched(switch_form::tanh, 2, .1), WithinRel((1 + std::tanh(.6)) / 2, 1e-14));
}

TEST_CASE("a polynomial switch begins with one more power than it has smooth derivatives") {
  // H(y) = (2 n + 1)! / (n! (n + 1)!) y^(n + 1) + ..., so it is exactly n times continuously differentiable.
  const double y = 1. / 1024;
  for (const auto& [form, power, factor] : {std::tuple{switch_form::linear, 1, 1.},
                                            {switch_form::cubic, 2, 3},
                                            {switch_form::quintic, 3, 10},
                                            {switch_form::septic, 4, 35},
                                            {switch_form::nonic, 5, 126}})
    CHECK_THAT(ref::switched(form, 1, y - .5), WithinRel(factor * std::pow(y, power), .005));
}

TEST_CASE("at rest no tissue model changes, whatever its switches") {
  for (model m : all_models)
    for (switch_form form : all_switch_forms)
      for (bool is_sharp : {false, true}) {
        problem p = with_form(hill_problem(m, 3, 3, usual_spacing(m)), form);
        p.has_sharp_constants = is_sharp;
        const auto rest = rest_of(p);
        for (std::size_t f = 0; f < p.state0.size(); ++f) p.state0[f].assign(9, rest.at(f));
        // tanh has tails that reach the far thresholds.
        const double tolerance = form == switch_form::tanh ? 1e-10 : 1e-15;
        for (double change : rate_of_one_cell(p)) CHECK_THAT(change, WithinAbs(0, tolerance));
      }
}

TEST_CASE("FitzHugh-Nagumo and Karma change as worked out by hand") {
  const auto fitzhugh_nagumo = rate_of_one_cell(one_cell(model::fitzhugh_nagumo, {1, .5}));
  CHECK_THAT(fitzhugh_nagumo[0], WithinRel(-.5, 1e-13));
  CHECK_THAT(fitzhugh_nagumo[1], WithinRel(.0175, 1e-13));

  struct point {
    double u, v, du, du_replaced, dv;
  };
  for (const point& at : {point{3, 0, 1.5747, 1.5747, .006327906827477306},
                          point{1.01, .9, .0005845533151356719, .008144474360000053, .0019697438072962454},
                          point{2, 1, -.03687741163996252, .002222222222222392, .0023279068274773057},
                          point{3.5, .8, .2859519232833339, .22525595555555497, .0031279068274773056}}) {
    problem p = one_cell(model::karma, {at.u, at.v});
    CHECK_THAT(rate_of_one_cell(p)[0], WithinAbs(at.du, 1e-13));
    CHECK_THAT(rate_of_one_cell(p)[1], WithinRel(at.dv, 1e-13));
    p.replaces_tanh = true;
    CHECK_THAT(rate_of_one_cell(p)[0], WithinAbs(at.du_replaced, 1e-13));
    p.multiplies_powers = false;
    CHECK_THAT(rate_of_one_cell(p)[0], WithinAbs(at.du_replaced, 1e-13));
  }
}

TEST_CASE("Bueno-Orovio's cell changes as a program of its own says") {
  struct point {
    std::vector<double> z;
    switch_form form;
    bool is_sharp, replaces_tanh;
    std::array<double, 4> change;
  };
  constexpr auto cubic = switch_form::cubic;
  constexpr auto nonic = switch_form::nonic;
  // clang-format off
  const std::vector<point> points{
      {{.009, .6, .8, .1}, cubic, false, false, {-5.877199654107936e-05, -0.00030494908219324917, 0.0019983098937622784, -0.028394215377593787}},
      {{.009, .6, .8, .1}, cubic, true, false, {-0.0014999999999999998, -0.0005217391304347826, 0.002445636014971488, -0.028394215377593787}},
      {{.009, .6, .8, .1}, nonic, false, false, {-7.287147543456466e-05, -0.00036580855050909227, 0.002088389882901854, -0.028394215377593787}},
      {{.009, .6, .8, .1}, cubic, false, true, {-5.877199654107936e-05, -0.00030494908219324917, 0.001915011772790269, -0.0365737692926633}},
      {{.125, .7, .9, .2}, cubic, false, false, {0.002333021808535469, -0.000608695652173913, 0.0005687683738689396, -0.0247988052486369}},
      {{.125, .7, .9, .2}, cubic, true, false, {0.002333021808535469, -0.000608695652173913, 0.0005687683738689396, -0.06001935068579086}},
      {{.125, .7, .9, .2}, nonic, false, false, {-0.0061526687328333045, -0.000608695652173913, 0.0013372026687094645, -0.03158875925531816}},
      {{.31, .5, .6, .3}, cubic, false, false, {0.10371404842750072, -0.3034394466365237, -0.003, -0.014069068770515374}},
      {{.31, .5, .6, .3}, nonic, false, false, {0.10894456424571328, -0.33538568189927614, -0.003, -0.014069068770515374}},
      {{.9, .2, .7, .4}, cubic, false, false, {0.7421089676594971, -0.13787398317937408, -0.0034999999999999996, 0.005679289087058455}},
      {{.9, .2, .7, .4}, cubic, false, true, {0.7380003526562317, -0.13787398317937408, -0.0034999999999999996, 0.0056792538341230575}}};
  // clang-format on
  for (const point& at : points) {
    problem p = with_form(one_cell(model::bueno_orovio, at.z), at.form);
    p.has_sharp_constants = at.is_sharp;
    p.replaces_tanh = at.replaces_tanh;
    const auto change = rate_of_one_cell(p);
    for (std::size_t f = 0; f < 4; ++f) CHECK_THAT(change[f], WithinAbs(at.change.at(f), 2e-15));
    const auto gates = ref::gates_of(p, at.z[0]);
    for (std::size_t g = 0; g < 3; ++g)
      CHECK_THAT(gates.at(g).a * at.z[g + 1] + gates.at(g).b, WithinAbs(change[g + 1], 2e-15));
  }
}

TEST_CASE("each field of a tissue diffuses with its own coefficient") {
  for (model m : all_models) {
    problem p = hill_problem(m, 8, 8, .125);
    const auto rest = rest_of(p);
    const Eigen::VectorXd f = mode(p, 1, 2);
    for (std::size_t field = 0; field < p.state0.size(); ++field)
      for (std::size_t cell = 0; cell < p.cells(); ++cell)
        p.state0[field][cell] = rest.at(field) + 1e-3 * f[static_cast<Eigen::Index>(cell)];
    const ref::state all = ref::rate(p, p.state0);
    const Eigen::VectorXd spread = ref::weights_of(p) * f * 1e-3 / (6 * p.dx * p.dx);
    std::vector<double> corner;
    for (const std::vector<double>& field : p.state0) corner.push_back(field[0]);
    const auto alone = rate_of_one_cell(one_cell(m, corner));
    for (std::size_t field = 0; field < p.state0.size(); ++field)
      CHECK_THAT(all[field][0] - alone[field],
                 WithinAbs(diffusion_of(m, static_cast<int>(field)) * spread[0], 1e-13));
  }
}

TEST_CASE("the methods have their orders where the right-hand side is smooth") {
  const problem p = hill_problem(model::fitzhugh_nagumo, 24, 20, .4);
  const ref::state exact = ref::integrate(p, 1, 1e-14);
  for (const auto& [scheme, order] :
       {std::pair{method::euler, 1}, {method::heun, 2}, {method::runge_kutta, 4}})
    CHECK_THAT(order_of(p, scheme, 1, .025, 4, exact).order, WithinAbs(order, .1));
}

TEST_CASE("the methods for gates are of first order, and three different methods") {
  const problem p = hill_problem(model::bueno_orovio, 24, 20, .03);
  const ref::state exact = ref::integrate(p, .2, 1e-12);
  for (method m : {method::euler, method::implicit_euler, method::rush_larsen})
    CHECK_THAT(order_of(p, m, .2, .01, 4, exact).order, WithinAbs(1, .1));
  const auto twenty_steps = [&](method m) { return ref::steps(p, m, .01, 20); };
  for (const auto& [one, other] : {std::pair{method::implicit_euler, method::euler},
                                   {method::rush_larsen, method::euler},
                                   {method::rush_larsen, method::implicit_euler}})
    CHECK(ref::relative_error_of_all(twenty_steps(one), twenty_steps(other)) > 1e-6);
}

TEST_CASE("one step of the methods for gates is their formula, from the old u") {
  const problem p = one_cell(model::bueno_orovio, {.31, .5, .6, .3});
  const auto gates = ref::gates_of(p, .31);
  const auto change = rate_of_one_cell(p);
  const ref::state implicit_euler = ref::steps(p, method::implicit_euler, .1, 1);
  const ref::state rush_larsen = ref::steps(p, method::rush_larsen, .1, 1);
  CHECK_THAT(implicit_euler[0][4], WithinRel(.31 + .1 * change[0], 1e-14));
  CHECK_THAT(rush_larsen[0][4], WithinRel(.31 + .1 * change[0], 1e-14));
  for (std::size_t g = 0; g < 3; ++g) {
    const double a = gates.at(g).a;
    const double y = p.state0[g + 1][4];
    CHECK_THAT(implicit_euler[g + 1][4], WithinRel(y + .1 * change[g + 1] / (1 - .1 * a), 1e-13));
    CHECK_THAT(rush_larsen[g + 1][4], WithinRel(y + change[g + 1] * std::expm1(.1 * a) / a, 1e-13));
  }
}

TEST_CASE("Runge-Kutta is of order four with the smoothest switch and of about three with the paper's") {
  const problem cubic = hill_problem(model::bueno_orovio, 24, 20, .03);
  const problem nonic = with_form(cubic, switch_form::nonic);
  const auto with_cubic = order_of(cubic, method::runge_kutta, .5, .025, 5, ref::integrate(cubic, .5, 1e-12));
  const auto with_nonic = order_of(nonic, method::runge_kutta, .5, .025, 4, ref::integrate(nonic, .5, 1e-11));
  CHECK_THAT(with_cubic.order, WithinAbs(3.1, .4));
  CHECK_THAT(with_nonic.order, WithinAbs(4, .1));
}

TEST_CASE("two integrations of their own agree to rounding") {
  const problem p = hill_problem(model::karma, 12, 12, .0262);
  const ref::state precise = ref::integrate_precisely(p, .1, .001);
  CHECK(ref::relative_error_of_all(ref::integrate(p, .1, 1e-14), precise) < 1e-13);
  CHECK(ref::relative_error_of_all(ref::steps(p, method::runge_kutta, .001, 100), precise) < 1e-14);
}

TEST_CASE("Euler's method holds below the limit of diffusion and not above it") {
  const problem p = hill_problem(model::fitzhugh_nagumo, 24, 24, .4);
  const double limit = diffusive_step_limit(p, method::euler);
  const auto largest_after = [&](double dt) {
    const ref::state z = ref::steps(p, method::euler, dt, 400);
    return std::abs(*std::max_element(z[1].begin(), z[1].end(),
                                      [](double a, double b) { return !(std::abs(b) <= std::abs(a)); }));
  };
  CHECK(largest_after(.95 * limit) < 2);
  CHECK_FALSE(largest_after(1.05 * limit) < 2);
}

TEST_CASE("relative errors are of u or of everything, and never small with a NaN") {
  const ref::state reference{{3, 4}, {12, 0}};
  const ref::state off{{3, 5}, {12, 12}};
  CHECK_THAT(ref::relative_error(off, reference), WithinRel(.2, 1e-15));
  CHECK_THAT(ref::relative_error_of_all(off, reference), WithinRel(std::sqrt(145.0) / 13, 1e-15));
  CHECK(std::isnan(ref::relative_error({{3, NAN}, {12, 0}}, reference)));
  CHECK(std::isnan(ref::relative_error({{3, 4, 5}, {12, 0}}, reference)));
  CHECK(std::isnan(ref::relative_error({{3, 4}}, reference)));
  CHECK_THAT(ref::relative_error({{0, .5}}, {{0, 0}}), WithinRel(.5, 1e-15));
}

TEST_CASE("the tissue reference refuses what it cannot integrate") {
  const problem p = hill_problem(model::karma, 3, 3, .1);
  CHECK_THROWS_AS(ref::rate(p, {p.state0[0]}), std::invalid_argument);
  CHECK_THROWS_AS(ref::rate(p, {p.state0[0], {1, 2}}), std::invalid_argument);
  CHECK_THROWS_AS(ref::steps(p, method::rush_larsen, .1, 1), std::invalid_argument);
  CHECK_THROWS_AS(ref::steps(p, method::euler, -1, 1), std::invalid_argument);
  CHECK_THROWS_AS(ref::integrate(p, 1, 0), std::invalid_argument);
  CHECK_THROWS_AS(ref::integrate_precisely(p, std::nan(""), .1), std::invalid_argument);
  CHECK_THROWS_AS(ref::gates_of(p, 0), std::invalid_argument);

  // An integration of a non-finite state must end.
  for (model m : all_models) {
    problem failed = hill_problem(m, 3, 3, usual_spacing(m));
    failed.state0[0][4] = not_a_number;
    CHECK(std::isnan(ref::integrate(failed, .1, 1e-6)[0][4]));
  }
}
