// SPDX-License-Identifier: MIT
// Tests the atrium solvers: their cells in single precision, their step control, the orders of their methods,
// the messages of runs that fail, and their voltages against an independent integration.
#include "solvers/atrium/cell.hpp"
#include "solvers/atrium/vector_math.hpp"
#include "verification/atrium/states.hpp"
#include "verification/checkers/order_fit.hpp"
#include "verification/tests/support/atrium_runs.hpp"

// Vectors as wide as a cache line are passed only to functions that are inlined, so
// the ABI warning does not apply.
#pragma GCC diagnostic ignored "-Wpsabi"

using namespace reprise::atrium::tests;

TEST_CASE("an atrial cell keeps its digits in single precision, also where rates are zero over zero") {
  using single = courtemanche<library_math<float>>;
  const problem p = single_cell_problem();
  std::vector<double> voltages;
  for (double v : {-47.13, -14.1, 3.3328, 19.9, -10.0, 7.9})
    for (double d : {0., 1e-6, 1e-4, 1e-3, .03, .4, 1.7}) voltages.insert(voltages.end(), {v - d, v + d});
  for (double v = -95; v < 60; v += .37) voltages.push_back(v);
  for (double v : voltages) {
    INFO("at " << v << " mV");
    float y[variables];
    for (std::size_t n = 0; n < variables; ++n) y[n] = static_cast<float>(p.state0[0][n]);
    y[at_v] = static_cast<float>(v);
    cell_state exact{};
    std::copy(y, y + variables, exact.begin());
    const auto lines = ref::gates_of(p, exact);
    const auto change = single::rates(constants_of<float>(p.cell), y);
    for (std::size_t g = 0; g < gates; ++g) {
      INFO("gate " << g);
      CHECK_THAT(static_cast<double>(change.rate[g]), WithinRel(-lines.at(g).a, 2e-5));
      CHECK_THAT(static_cast<double>(change.target[g]), WithinAbs(-lines.at(g).b / lines.at(g).a, 2e-6));
    }
    const auto rate = ref::rate(p, {exact}, 0)[0];
    CHECK_THAT(static_cast<double>(change.v), WithinAbs(rate[at_v], 1e-5 * (1 + std::abs(rate[at_v]))));
    for (std::size_t x = 0; x < concentrations; ++x) {
      const double expected = rate[first_concentration + x];
      CHECK_THAT(static_cast<double>(change.concentration[x]),
                 WithinAbs(expected, 1e-9 + 1e-5 * std::abs(expected)));
    }
  }
}

TEST_CASE("vectors compute exponentials, logarithms and roots like the library") {
  const auto compare = []<class Scalar>(Scalar) {
    using math = vector_math<Scalar>;
    constexpr double u = std::numeric_limits<Scalar>::epsilon();
    for (double x = -600; x < 600; x += .217) {
      const auto narrow = static_cast<Scalar>(x);
      const double exact = std::exp(double{narrow});
      const double value = math::exp(math::all(narrow))[3];
      if (exact > double{std::numeric_limits<Scalar>::max()} / 2) {
        CHECK(value > 1e38);
      } else if (exact < 2 * double{std::numeric_limits<Scalar>::min()}) {
        CHECK(value <= 4 * double{std::numeric_limits<Scalar>::min()});
      } else {
        CHECK_THAT(value, WithinRel(exact, 2 * u));
      }
    }
    for (double x = 1e-7; x < 1e6; x *= 1.0173) {
      const auto narrow = static_cast<Scalar>(x);
      const double wide = narrow;
      CHECK_THAT(double{math::log(math::all(narrow))[2]},
                 WithinAbs(std::log(wide), 3 * u * std::max(1., std::abs(std::log(wide)))));
      CHECK_THAT(double{math::sqrt(math::all(narrow))[1]}, WithinRel(std::sqrt(wide), u));
      CHECK_THAT(double{math::decay(math::all(narrow))[0]}, WithinRel(-std::expm1(-wide), 4 * u));
    }
    const auto none = static_cast<Scalar>(not_a_number);
    CHECK(std::isnan(math::exp(math::all(none))[0]));
    CHECK(std::isnan(math::log(math::all(none))[0]));
    CHECK(std::isnan(math::log(math::all(Scalar(-1)))[0]));
    CHECK(math::decay(math::all(Scalar(0)))[0] == 0);
  };
  compare(1.F);
  compare(1.);
}

TEST_CASE("a pair's next step is formula (15) within its guards") {
  const problem p = single_cell_problem({{}, 100});
  for (auto [pair, exponent] : {std::pair{scheme::trapezoidal, 1. / 2},
                                {scheme::bogacki_shampine, 1. / 3},
                                {scheme::fehlberg, 1. / 5},
                                {scheme::cash_karp, 1. / 5}}) {
    const method_data m = data_of(pair);
    // Clang with OpenMP does not capture a structured binding itself.
    const auto after = [&, pair = pair](outcome found) {
      progress s = at_start(p, adaptive_steps(pair, rl, 1, 0, 100), static_cast<int>(m.stages), m.low_order);
      s.wanted = 1;
      start_interval(s, 100);
      finish_attempt(s, found);
      return s;
    };
    CHECK_THAT(after({.5, -1}).h, WithinRel(std::pow(.9 / .5, exponent), 1e-14));
    CHECK(after({.5, -1}).t == 1);
    CHECK_THAT(after({3, -1}).h, WithinRel(std::pow(.9 / 3, exponent), 1e-14));
    CHECK(after({3, -1}).t == 0);
    CHECK(after({3, -1}).rejected == 1);
    CHECK(after({0, -1}).h == 5);
    CHECK(after({1e30, -1}).h == .1);
    CHECK(after({.1, 7}).t == 0);
    CHECK(after({.1, 7}).h == .1);
    CHECK(after({.1, 7}).bad_cell == 7);
  }
}

TEST_CASE("adaptive steps end at the edges of stimuli and at the end, and go on as if they had not") {
  const problem p = single_cell_problem(one_stimulus(10));
  progress s = at_start(p, adaptive_steps(scheme::trapezoidal, rl, 1, 0, 10), 2, 1);
  s.wanted = .7;
  start_interval(s, 2.5);
  std::vector<double> times;
  while (s.state == ending::running) {
    finish_attempt(s, {.9, -1});  // an error that keeps the step
    times.push_back(s.t);
  }
  REQUIRE(times.size() == 5);
  CHECK(times[1] == 1);
  CHECK_THAT(times[2], WithinAbs(1.7, 1e-15));
  CHECK(times[4] == 2.5);
  CHECK_THAT(s.wanted, WithinAbs(.7, 1e-15));
}

TEST_CASE("fixed steps end at multiples of the step, wherever a run was interrupted") {
  const problem p = single_cell_problem({{}, 10});
  for (double dt : {.05, .06, .07}) {
    auto s = started(p, recording_every(1, fixed_steps(scheme::euler, rl, dt)));
    s->advance(.123);
    const progress end = s->advance(6);
    CHECK(end.t == 6);
    const auto t = s->recorded().t;
    for (std::size_t n = 1; n < t.size(); ++n) {
      const double steps = t[n] / dt;
      CHECK((std::abs(steps - std::round(steps)) < 1e-9 || t[n] == .123 || t[n] == 6));
      CHECK(t[n] - t[n - 1] < dt * (1 + 1e-9));
    }
  }
}

TEST_CASE("with Rush-Larsen the paper's methods are of first order, without it each of its own") {
  const auto expected = check::expect_order();
  const std::map<scheme, int> own_order{{scheme::euler, 1},
                                        {scheme::midpoint, 2},
                                        {scheme::trapezoidal, 2},
                                        {scheme::bogacki_shampine, 3},
                                        {scheme::fehlberg, 5},
                                        {scheme::cash_karp, 5},
                                        {scheme::exponential_midpoint, 2}};
  const auto is_within = [](const checkers::fitted_order& fit, double order, double slack) {
    INFO("95 % within [" << fit.low << ", " << fit.high << "], from " << fit.points << " points");
    CHECK(fit.low > order - slack);
    CHECK(fit.high < order + slack);
  };
  for (const auto& [method, own] : own_order)
    for (gate_rule rule : all_gate_rules) {
      INFO(to_string(method) << ' ' << to_string(rule));
      std::vector<double> voltage;
      std::vector<double> gates;
      const std::vector<double> dts = check::order_expectation::steps(method, rule);
      for (double dt : dts) {
        auto s = started(expected->problem(), fixed_steps(method, rule, dt));
        s->advance(check::order_expectation::t_end);
        const auto e = expected->errors_of(s->state());
        voltage.push_back(e.voltage);
        gates.push_back(e.gates);
      }
      const double order = rule == rl && method != scheme::exponential_midpoint ? 1 : own;
      // For order five, the second term of the error adds a quarter of an order to the slope where rounding does not
      // yet matter.
      is_within(checkers::fit_asymptotic_order(dts, voltage, check::order_expectation::voltage_rounding),
                order, order < 5 ? .1 : .25);
      // In the worst gate the fifth-order term of Cash and Karp's method is so small that the sixth is seen.
      const double seen = method == scheme::cash_karp && rule != rl ? 6 : order;
      is_within(checkers::fit_asymptotic_order(dts, gates, check::order_expectation::gate_rounding), seen,
                order < 5 ? .1 : .25);
    }
}

recording every_second(const recording& all, std::size_t columns) {
  recording kept;
  for (std::size_t n = 0; n < all.t.size(); n += 2) {
    kept.t.push_back(all.t[n]);
    for (std::size_t k = 0; k < columns; ++k) kept.v.push_back(all.v[n * columns + k]);
  }
  return kept;
}

TEST_CASE("a cell at the sodium channel's jump may take either side of it, and no other cell") {
  const auto is_right = [](double voltage, double jump) {
    problem p = verification::atrium::skew_problem(1);
    p.state0[5][at_v] = voltage;
    const check::stepwise_expectation expected(p, scheme::fehlberg, rl);
    const double dt = expected.control().dt;
    const auto plain_steps = ref::steps(p, scheme::fehlberg, rl, dt, expected.steps);
    const auto answer = ref::steps(p, scheme::fehlberg, rl, dt, expected.steps, jump);
    CHECK(std::abs(answer.y[5][at_v] - plain_steps.y[5][at_v]) > 1e-4);
    const auto found = expected.judge_cells(answer.y, every_second(answer.recorded, p.recorded.size()),
                                            expected.end(), precision::double_);
    return checkers::all_good(found);
  };
  CHECK(is_right(ref::sodium_jump, ref::sodium_jump + 1e-13));
  CHECK_FALSE(is_right(ref::sodium_jump + .05, ref::sodium_jump + .1));
}

TEST_CASE("a single cell follows an integration without Rush-Larsen through its action potential") {
  const problem p = single_cell_problem(one_stimulus(300));
  const ref::run exact = ref::integrate(p, 300, 1e-8);
  for (precision arithmetic : {precision::single, precision::double_}) {
    auto s = started(p, recording_every(1, fixed_steps(scheme::euler, rl, .005)), arithmetic);
    CHECK(s->advance(300).state == ending::reached);
    const auto e = check::errors_of(s->recorded(), exact.recorded);
    INFO("RRMS " << e.rrms << ", shift " << e.shift << " ms, safe " << e.peak_safe);
    CHECK(e.rrms < .01);
    CHECK(e.shift < .01);
    CHECK(e.peak_safe < .5);
  }
}

TEST_CASE("three processors' codes and the reference tell the same of a small sphere") {
  const problem p = sphere_problem(2, one_stimulus(8));
  const long count = 160;
  const ref::state exact = ref::steps(p, scheme::euler, rl, .05, count).y;
  REQUIRE(std::any_of(exact.begin(), exact.end(), [](const cell_state& y) { return y[at_v] > -40; }));
  for (const std::string& id : processor_codes)
    for (precision arithmetic : {precision::single, precision::double_}) {
      auto s = started(p, fixed_steps(scheme::euler, rl, .05), arithmetic, id);
      s->advance(8);
      const double most = voltage_distance(s->state(), exact);
      INFO(id << ": " << most << " mV");
      CHECK(most < (arithmetic == precision::single ? 5e-3 : 1e-7));
    }
}

TEST_CASE("a step above the limit of diffusion is reported as such, with the cell and the time") {
  const problem p = sphere_problem(2, one_stimulus(300));
  const double limit = diffusive_step_limit(p);
  for (const std::string& id : processor_codes) {
    auto s = started(p, fixed_steps(scheme::euler, rl, 1.1 * limit), precision::single, id);
    const progress end = s->advance(300);
    CHECK(end.state == ending::not_a_number);
    CHECK(end.bad_cell >= 0);
    CHECK(end.t < 60);
    CHECK_THAT(check::failure_of(p, end), ContainsSubstring("unstable: cell ") &&
                                              ContainsSubstring("is no cell any more at t = ") &&
                                              ContainsSubstring("above the limit of stability"));
    s->reset(fixed_steps(scheme::euler, rl, .9 * limit));
    CHECK(check::failure_of(p, s->advance(20)).empty());
  }
}

TEST_CASE("a cell that is no number is named, with the time, in fixed and in adaptive steps", "[emulation]") {
  const problem p = with_bad_cell(sphere_problem(2, one_stimulus(5)), 77);
  for (const auto& ids : {processor_codes, gpu_codes})
    for (const answer& found : answers(ids, p, fixed_steps(scheme::euler, rl, .05), precision::single, {5})) {
      INFO(found.id);
      CHECK(found.end.state == ending::not_a_number);
      CHECK(found.end.t == 0);
      CHECK(found.end.bad_cell == 77);
      CHECK(found.state[5][at_v] == static_cast<double>(static_cast<float>(p.state0[5][at_v])));
      CHECK_THAT(check::failure_of(p, found.end),
                 ContainsSubstring("cell 77 is no cell any more at t = 0.05"));
    }
  // Stages after the first spread the NaN to neighbours, and the lowest cell number is reported.
  for (const auto& ids : {processor_codes, deciding_gpu_codes})
    for (scheme pair : {scheme::trapezoidal, scheme::fehlberg})
      for (const answer& found : answers(ids, p, adaptive_steps(pair, rl, 1, 0, 5), precision::single, {5})) {
        INFO(found.id << ' ' << to_string(pair));
        CHECK(found.end.state == ending::not_a_number);
        CHECK(found.end.t == 0);
        CHECK(found.end.bad_cell >= 0);
        CHECK(found.end.bad_cell <= 77);
        CHECK_THAT(check::failure_of(p, found.end), ContainsSubstring("is no cell any more at t = "));
      }
}

TEST_CASE("tolerances that cannot be met end in stagnation after a bounded number of attempts",
          "[emulation]") {
  const problem p = sphere_problem(1, one_stimulus(5));
  const control c = adaptive_steps(scheme::trapezoidal, rl, 1e-13, 0, 5);
  const control few = with_attempts(50, adaptive_steps(scheme::trapezoidal, rl, 1e-3, 0, 5));
  for (const auto& ids : {processor_codes, deciding_gpu_codes}) {
    for (const answer& found : answers(ids, p, c, precision::single, {5})) {
      INFO(found.id);
      CHECK(found.end.state == ending::stagnated);
      CHECK(found.end.accepted + found.end.rejected < 100);
      CHECK_THAT(check::failure_of(p, found.end), ContainsSubstring("stagnated at t = "));
    }
    for (const answer& found : answers(ids, p, few, precision::double_, {5})) {
      INFO(found.id);
      CHECK(found.end.state == ending::too_many_steps);
      CHECK(found.end.accepted + found.end.rejected == 50);
    }
  }
}

TEST_CASE("every n-th step is recorded, and the same run gives the same rows") {
  const problem p = sphere_problem(2, one_stimulus(4));
  const control c = adaptive_steps(scheme::bogacki_shampine, rl, .1, .01, 4);
  for (const std::string& id : processor_codes) {
    auto s = started(p, recording_every(1, c), precision::single, id);
    const progress end = s->advance(4);
    const recording all = s->recorded();
    CHECK(all.t.size() == static_cast<std::size_t>(end.accepted) + 1);
    CHECK(all.v.size() == all.t.size() * p.recorded.size());
    CHECK(all.t.back() == 4);
    s->reset(recording_every(3, c));
    CHECK(s->advance(4).accepted == end.accepted);
    const recording third = s->recorded();
    CHECK(third.t.size() == static_cast<std::size_t>(end.accepted / 3) + 1);
    for (std::size_t n = 0; n < third.t.size(); ++n) CHECK(third.t[n] == all.t[3 * n]);
    CHECK(third.v[100] == all.v[300]);
  }
}
