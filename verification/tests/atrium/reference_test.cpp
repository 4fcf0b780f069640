// SPDX-License-Identifier: MIT
// Tests the atrium reference: Courtemanche's expressions against the published steady state and against long
// double, the steps against the formulas of section 3, and against an integration without Rush-Larsen.
#include "reference/atrium/cell.hpp"
#include "reference/atrium/tableaus.hpp"
#include "verification/atrium/states.hpp"
#include "verification/tests/support/atrium_runs.hpp"
#include "verification/tests/support/orders.hpp"

using namespace reprise::atrium::tests;

namespace {

// A cell during its upstroke, far from its initial state.
problem excited_cell() {
  problem p = single_cell_problem({{}, 20});
  p.state0[0][at_v] = -20;
  return p;
}

}  // namespace

TEST_CASE("the published state of Courtemanche's cell is steady without acetylcholine") {
  problem p = single_cell_problem();
  p.cell.acetylcholine = 0;
  const cell_state y = published_initial_state();
  const auto lines = ref::gates_of(p, y);
  for (std::size_t g = 0; g < gates; ++g) {
    INFO("gate " << g);
    const double infinity = -lines.at(g).b / lines.at(g).a;
    // Four digits are published; slow gates are still changing in the fourth.
    CHECK_THAT(infinity, WithinAbs(y[first_gate + g], 2e-3 * std::max(y[first_gate + g], 1e-4)));
    CHECK(lines.at(g).a < 0);
  }
  const auto change = ref::rate(p, {y}, 0)[0];
  CHECK_THAT(change[at_v], WithinAbs(0, 5e-3));
  for (std::size_t x = first_concentration; x < variables; ++x) CHECK_THAT(change[x], WithinAbs(0, 3e-5));
}

TEST_CASE("at the voltages where a rate is zero over zero it is its limit") {
  for (double v : {-47.13, -14.1, 3.3328, 19.9, -10.0, 7.9}) {
    cell_state y = published_initial_state();
    y[at_v] = v;
    const auto at = ref::gates_of(single_cell_problem(), y);
    y[at_v] = v + 1e-9;
    const auto near = ref::gates_of(single_cell_problem(), y);
    for (std::size_t g = 0; g < gates; ++g) {
      INFO("gate " << g << " at " << v);
      CHECK_THAT(at.at(g).a, WithinRel(near.at(g).a, 1e-7));
      CHECK_THAT(at.at(g).b, WithinRel(near.at(g).b, 1e-7) || WithinAbs(near.at(g).b, 1e-12));
    }
  }
  cell_state y = published_initial_state();
  y[at_v] = 3.3328;
  // Both rates at the voltage where the closing rate is 7.3898e-5 * 5.1237.
  CHECK_THAT(-ref::gates_of(single_cell_problem(), y)[at_xr - first_gate].a,
             WithinRel(.0003 * 17.4328 / (1 - std::exp(-17.4328 / 5)) + 3.786311826e-4, 1e-9));
}

TEST_CASE("the atrium's rates in double are those in long double but for rounding") {
  const problem p = verification::atrium::skew_problem(1);
  for (const cell_state& y : p.state0) {
    std::array<long double, variables> precise{};
    std::copy(y.begin(), y.end(), precise.begin());
    const auto r = ref::cell_rates_of(p.cell, precise.data());
    const auto d = ref::cell_rates_of(p.cell, y.data());
    CHECK_THAT(d.v, WithinRel(static_cast<double>(r.v), 1e-12) || WithinAbs(static_cast<double>(r.v), 1e-13));
    for (std::size_t g = 0; g < gates; ++g)
      CHECK_THAT(d.gate.at(g).a, WithinRel(static_cast<double>(r.gate.at(g).a), 1e-11));
    for (std::size_t x = 0; x < concentrations; ++x)
      CHECK_THAT(d.concentration.at(x), WithinRel(static_cast<double>(r.concentration.at(x)), 1e-11));
  }
}

TEST_CASE("neighbours take from a cell what they give, and a stimulus reaches its cells alone") {
  const problem p = verification::atrium::skew_problem(2);
  const auto coupled = ref::rate(p, p.state0, 0);
  problem apart = p;
  apart.diffusion = 0;
  const auto alone = ref::rate(apart, p.state0, 0);
  double sum = 0;
  double size = 0;
  for (std::size_t k = 0; k < p.cells(); ++k) {
    sum += coupled[k][at_v] - alone[k][at_v];
    size += std::abs(coupled[k][at_v] - alone[k][at_v]);
  }
  CHECK_THAT(sum / size, WithinAbs(0, 1e-14));
  CHECK(size > 1000);

  const auto stimulated = ref::rate(p, p.state0, 1);
  for (std::size_t k = 0; k < p.cells(); ++k)
    CHECK_THAT(stimulated[k][at_v] - coupled[k][at_v],
               WithinAbs((p.stimulated[k] & 1U) != 0 ? p.protocol.stimuli[0].strength : 0, 1e-9));
}

TEST_CASE("the tableaus of the atrium's methods satisfy the conditions of their order") {
  const auto sum_of = [](const ref::tableau& t, const std::vector<double>& b, auto term) {
    double sum = 0;
    for (std::size_t i = 0; i < t.stages(); ++i) sum += b[i] * term(i);
    return sum;
  };
  for (scheme method : all_runge_kutta) {
    INFO(to_string(method));
    const ref::tableau t = ref::tableau_of(method);
    for (std::size_t i = 0; i < t.stages(); ++i)
      CHECK_THAT(std::accumulate(t.a[i].begin(), t.a[i].end(), 0.), WithinAbs(t.c[i], 1e-14));
    const int order = method == scheme::euler ? 1 : t.low.empty() ? 2 : t.low_order + 1;
    const auto require_order = [&](const std::vector<double>& b, int of) {
      for (int q = 1; q <= of; ++q)
        CHECK_THAT(sum_of(t, b, [&](std::size_t i) { return std::pow(t.c[i], q - 1); }),
                   WithinAbs(1. / q, 1e-14));
      const auto a_c = [&](std::size_t i) {
        return std::inner_product(t.a[i].begin(), t.a[i].end(), t.c.begin(), 0.);
      };
      for (auto [least, power, inverse] : {std::array{3, 0, 6}, {4, 1, 8}, {5, 2, 10}})
        if (of >= least)
          CHECK_THAT(sum_of(t, b, [&](std::size_t i) { return std::pow(t.c[i], power) * a_c(i); }),
                     WithinAbs(1. / inverse, 1e-14));
    };
    require_order(t.high, order);
    if (!t.low.empty()) require_order(t.low, t.low_order);
    // A coefficient from another row would fail this.
    if (!t.low.empty())
      CHECK(std::abs(sum_of(t, t.low, [&](std::size_t i) { return std::pow(t.c[i], t.low_order); }) -
                     1. / (t.low_order + 1)) > 1e-4);
  }
}

TEST_CASE("a step of Rush-Larsen is the formula of section 3, in the half steps of section 3.3") {
  const problem p = excited_cell();
  const cell_state& y = p.state0[0];
  const auto rush_larsen = [&](const cell_state& at, double w, std::size_t g, double h) {
    const auto [a, b] = ref::gates_of(p, at).at(g);
    return std::exp(a * h) * (w + b / a) - b / a;
  };
  constexpr double dt = .02;
  const auto euler = ref::steps(p, scheme::euler, rl, dt, 1).y[0];
  const auto midpoint = ref::steps(p, scheme::midpoint, rl, dt, 1).y[0];
  const auto exponential = ref::steps(p, scheme::exponential_midpoint, rl, dt, 1).y[0];
  const auto trapezoidal = ref::steps(p, scheme::trapezoidal, rl, dt, 1).y[0];
  cell_state half = y;
  const cell_state slope = ref::rate(p, {y}, 0)[0];
  for (std::size_t n = 0; n < variables; ++n) half[n] += dt / 2 * slope[n];
  for (std::size_t g = 0; g < gates; ++g) half[first_gate + g] = rush_larsen(y, y[first_gate + g], g, dt / 2);
  const cell_state middle = ref::rate(p, {half}, 0)[0];
  for (std::size_t g = 0; g < gates; ++g) {
    const std::size_t n = first_gate + g;
    CHECK_THAT(euler[n], WithinRel(rush_larsen(y, y[n], g, dt), 1e-14));
    CHECK_THAT(trapezoidal[n], WithinRel(euler[n], 1e-14));
    CHECK_THAT(midpoint[n], WithinRel(rush_larsen(half, half[n], g, dt / 2), 1e-14));
    CHECK_THAT(exponential[n], WithinRel(rush_larsen(half, y[n], g, dt), 1e-14));
  }
  CHECK_THAT(euler[at_v], WithinRel(y[at_v] + dt * slope[at_v], 1e-14));
  CHECK_THAT(midpoint[at_v], WithinRel(y[at_v] + dt * middle[at_v], 1e-14));
}

TEST_CASE("without Rush-Larsen the methods have their orders, with it the paper's are of first order") {
  const problem p = excited_cell();
  const auto exact = ref::integrate(p, 1, 1e-13);
  const auto order_of = [&](scheme method, gate_rule rule, double largest) {
    const auto error_in = [&](int halvings) {
      const long count = std::lround(1 / largest) << halvings;
      const double dt = 1. / static_cast<double>(count);
      return std::pair{dt, voltage_distance(ref::steps(p, method, rule, dt, count).y, exact.y)};
    };
    return testing::order_of(testing::halvings(5), 1e-10, error_in).order;
  };
  CHECK_THAT(order_of(scheme::euler, plain, 1. / 500), WithinAbs(1, .1));
  CHECK_THAT(order_of(scheme::midpoint, plain, 1. / 250), WithinAbs(2, .1));
  CHECK_THAT(order_of(scheme::trapezoidal, plain, 1. / 250), WithinAbs(2, .1));
  CHECK_THAT(order_of(scheme::bogacki_shampine, plain, 1. / 250), WithinAbs(3, .15));
  for (scheme method : all_runge_kutta) {
    INFO(to_string(method));
    if (method == scheme::exponential_midpoint) {
      CHECK_THAT(order_of(method, rl, 1. / 2000), WithinAbs(2, .12));
    } else {
      CHECK_THAT(order_of(method, rl, 1. / 250), WithinAbs(1, .12));
    }
  }
}

TEST_CASE("an atrial cell's action potential looks like one") {
  const problem p = single_cell_problem(one_stimulus(300, .9));
  const ref::run r = ref::integrate(p, 300, 1e-8);
  const auto& v = r.recorded.v;
  CHECK_THAT(std::ranges::max(v), WithinAbs(49, 2));
  CHECK_THAT(v.back(), WithinAbs(-84.5, .3));
  double up = 0;
  double down = 0;
  for (std::size_t n = 1; n < v.size(); ++n) {
    if (v[n - 1] < -60 && v[n] >= -60) up = r.recorded.t[n];
    if (v[n - 1] > -60 && v[n] <= -60) down = r.recorded.t[n];
  }
  CHECK_THAT(up, WithinAbs(1.6, .3));
  CHECK_THAT(down - up, WithinAbs(30, 6));
}

TEST_CASE("Cash-Karp with Rush-Larsen and an integration without it agree on a small sphere") {
  const problem p = sphere_problem(1, one_stimulus(5));
  const ref::run paper = ref::paper_reference(p, 5);
  const ref::run other = ref::integrate(p, 5, 1e-8);
  CHECK(paper.recorded.t.back() == 5);
  CHECK(other.recorded.t.back() == 5);
  REQUIRE(std::ranges::max(other.recorded.v) > 0);
  // Gates are of first order, with steps of up to 0.08 ms during the upstroke, where V
  // changes by 200 mV in a millisecond.
  CHECK(voltage_distance(paper.y, other.y) < 1.5);
  const long count = 5000;
  CHECK(voltage_distance(ref::steps(p, scheme::cash_karp, rl, 5. / count, count).y, other.y) < .02);
}

TEST_CASE("the atrium reference refuses what it cannot integrate, and ends runs that fail") {
  problem p = sphere_problem(0, {{}, 5});
  CHECK_THROWS_AS(ref::rate(p, {}, 0), std::invalid_argument);
  CHECK_THROWS_AS(ref::steps(p, scheme::euler, rl, 0, 1), std::invalid_argument);
  CHECK_THROWS_AS(ref::adaptive(p, scheme::midpoint, rl, 1, 0, 5), std::invalid_argument);
  CHECK_THROWS_AS(ref::adaptive(p, scheme::fehlberg, rl, 0, 0, 5), std::invalid_argument);
  CHECK_THROWS_AS(ref::integrate(p, std::nan(""), 1e-6), std::invalid_argument);
  p.state0[3][at_v] = std::nan("");
  CHECK_THROWS_AS(ref::adaptive(p, scheme::fehlberg, rl, 1, 0, 5), std::runtime_error);
}
