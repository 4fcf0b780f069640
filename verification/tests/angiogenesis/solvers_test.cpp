// SPDX-License-Identifier: MIT
// Tests the angiogenesis solvers: pivots and swaps, their common time stepping with its clipping,
// orders and monitors, and refusals.
#include <chrono>

#include "reference/angiogenesis/linear_systems.hpp"
#include "reference/angiogenesis/manufactured.hpp"
#include "verification/checkers/norms.hpp"
#include "verification/tests/support/angiogenesis_systems.hpp"
#include "verification/tests/support/orders.hpp"

using namespace reprise::angiogenesis::tests;
using testing::order_of;

namespace {

Eigen::VectorXd as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

double distance(const std::vector<double>& u, const Eigen::VectorXd& v) {
  return (as_vector(u) - v).cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("full elimination swaps as many rows as the rule says") {
  long long swaps = 0;
  for (const char* const name : {"cpu_elimination", "eigen_lu"}) {
    const auto s = on_host(name);
    for (const parameters& with : {slow_parameters(), fast_parameters()})
      for (int nodes : {3, 4, 9, 50})
        for (double dt : {1e-3, 1e-2, .1, 1.0}) {
          INFO(name << ", " << nodes << " nodes, dt " << dt << ", eps " << with.eps);
          const problem p = make_problem(with, taxis::nodal, start::step, nodes, dt);
          s->load(implicit_matrix(p), factoring::once);
          CHECK(s->spent().row_swaps == static_cast<long long>(ref::swapped_columns(p).size()));
          swaps += s->spent().row_swaps.value_or(0);
        }
  }
  CHECK(swaps > 20);
}

TEST_CASE("a matrix that needs every row swapped gets every row swapped") {
  const auto s = on_host("cpu_elimination");
  for (const auto& g : check::general_matrices(false)) {
    if (!g.name.starts_with("every row swapped")) continue;
    s->load(check::from_dense(g.a), factoring::once);
    CHECK(s->spent().row_swaps == g.a.rows() - 1);
  }
}

TEST_CASE("the solvers' matrices are the reference's") {
  for (const parameters& with : {slow_parameters(), fast_parameters()})
    for (int nodes : {3, 12}) {
      const problem p = make_problem(with, taxis::nodal, start::step, nodes, .02);
      const std::vector<double> u = p.u0;
      std::vector<double> product(u.size());
      multiply(implicit_matrix(p), u, product);
      CHECK(distance(product, ref::implicit_matrix(p) * as_vector(u)) < 1e-14);
      multiply(explicit_matrix(p), u, product);
      CHECK(distance(product, ref::explicit_matrix(p) * as_vector(u)) < 1e-14);
      CHECK(implicit_matrix(p).value.size() == static_cast<std::size_t>(11 * nodes - 6));
    }
}

TEST_CASE("the explicit part is the reference's in every reading") {
  for (taxis reading : all_readings)
    for (const parameters& with : {slow_parameters(), fast_parameters()}) {
      const problem p = make_problem(with, reading, start::smooth, 23, .02);
      std::vector<double> u = p.u0;
      for (std::size_t k = 0; k < u.size(); ++k) u[k] += .2 * std::sin(3.1 * static_cast<double>(k));
      std::vector<double> rate(u.size());
      explicit_part n(p);
      n(u, rate);
      const Eigen::VectorXd expected = ref::nonlinear_rate(p, as_vector(u));
      INFO(to_string(reading));
      CHECK(distance(rate, expected) < 1e-13 * expected.cwiseAbs().maxCoeff());
    }
}

TEST_CASE("the time stepping is of order one in time") {
  const auto s = on_host("cpu_structured");
  for (taxis reading : all_readings) {
    const auto fit = order_of({20, 40, 80, 160, 320}, 1e-11, [&](int count) {
      const problem p = make_problem(fast_parameters(), reading, start::smooth, 31, .1 / count);
      imex run(p, *s, factoring::once);
      run.advance(count);
      return std::pair{p.dt, distance(run.state(), ref::integrate(p, .1, 1e-12))};
    });
    INFO(to_string(reading) << " order " << fit.order << " from " << fit.low << " to " << fit.high);
    CHECK_THAT(fit.order, WithinAbs(1, .03));
  }
}

TEST_CASE("the time stepping is of order two in space") {
  const auto s = on_host("cpu_structured");
  for (taxis reading : all_readings) {
    const auto fit = order_of({11, 21, 41, 81}, 1e-13, [&](int nodes) {
      const double h = 1.0 / (nodes - 1);
      problem p = empty_problem(fast_parameters(), reading, nodes, .2 * h * h);
      const Eigen::VectorXd u0 = ref::manufactured(p, 0);
      p.u0.assign(u0.begin(), u0.end());
      imex run(p, *s, factoring::once);
      run.set_forcing([&](double t, std::span<double> rate) {
        const Eigen::VectorXd source = ref::manufactured_source(p, t);
        for (std::size_t k = 0; k < rate.size(); ++k) rate[k] += source(static_cast<Eigen::Index>(k));
      });
      run.advance(static_cast<int>(std::lround(.1 / p.dt)));
      return std::pair{h, distance(run.state(), ref::manufactured(p, run.time()))};
    });
    INFO(to_string(reading) << " order " << fit.order << " from " << fit.low << " to " << fit.high);
    CHECK_THAT(fit.order, WithinAbs(2, .1));
  }
}

TEST_CASE("long steps make negative values, which are clipped and counted") {
  const auto s = on_host("cpu_structured");
  const named_case c = stress_case();
  const auto expected = ref::steps_precisely(c.problem, c.steps);
  imex run(c.problem, *s, factoring::once);
  run.advance(c.steps);

  CHECK(run.so_far().clipped == expected.clipped);
  CHECK(run.so_far().clipped > 0);
  CHECK(run.so_far().least < -.01);
  CHECK(run.so_far().clipped_mass > 1e-4);
  CHECK(std::ranges::min(run.state()) >= 0);
  imex short_steps(default_case().problem, *s, factoring::once);
  short_steps.advance(20);
  CHECK(short_steps.so_far().clipped == 0);
  CHECK(short_steps.so_far().least == 0);
}

TEST_CASE("the conservative reading accounts for all of the mass and the others do not") {
  const auto s = on_host("cpu_structured");
  for (double dt : {1e-3, .1})
    for (taxis reading : all_readings) {
      INFO(to_string(reading) << ", dt " << dt);
      imex run(make_problem(slow_parameters(), reading, start::step, 100, dt), *s, factoring::once);
      run.advance(20);
      CHECK_THAT(mass(default_case().problem, run.state()),
                 WithinAbs(ref::mass(default_case().problem, as_vector(run.state()), field::c), 1e-14));
      if (reading == taxis::conservative) {
        CHECK(std::abs(run.mass_defect()) < 1e-13);
      } else {
        CHECK(std::abs(run.mass_defect()) > 1e-5);
      }
    }
}

TEST_CASE("residuals are watched where that is asked for") {
  const auto s = on_host("cpu_structured");
  imex run(smooth_case().problem, *s, factoring::once);
  run.advance(3);
  CHECK(run.so_far().backward_error == 0);
  run.watch_residuals(true);
  run.advance(3);
  CHECK(run.so_far().backward_error > 0);
  CHECK(run.so_far().backward_error < 1e-15);
}

TEST_CASE("a run starts again from its initial state") {
  const auto s = on_host("cpu_structured");
  imex run(smooth_case().problem, *s, factoring::once);
  run.advance(7);
  const std::vector<double> first = run.state();
  run.reset();
  CHECK(run.state() == smooth_case().problem.u0);
  CHECK(run.so_far().steps == 0);
  run.advance(7);
  CHECK(run.state() == first);
}

TEST_CASE("a run that blows up ends and says at which step") {
  for_every_variant([](solver& s) {
    parameters with = fast_parameters();
    with.a1 = 1e160;
    imex run(make_problem(with, taxis::nodal, start::smooth, 5, 1), s, factoring::once);
    run.advance(100);
    CHECK(run.so_far().steps < 10);
    CHECK_THAT(run.so_far().failure, ContainsSubstring("is not finite at unknown"));
    for (double value : run.state()) CHECK(std::isfinite(value));
  });
}

TEST_CASE("a right-hand side that is not finite is refused") {
  for_every_variant([](solver& s) {
    const problem p = usual_problem(5);
    s.load(implicit_matrix(p), factoring::once);
    std::vector<double> x(20);
    std::vector<double> b(20, 1.0);
    for (double bad : {not_a_number, infinity})
      for (std::size_t at : {0U, 13U, 19U}) {
        b[at] = bad;
        CHECK_THROWS_AS(s.solve(b, x), bad_input);
        b[at] = 1;
      }
    CHECK_NOTHROW(s.solve(b, x));
  });
}

TEST_CASE("a matrix beyond memory is refused before any is taken") {
  const problem p = usual_problem(1'000'000, 1e-6);
  const matrix a = implicit_matrix(p);
  for (const char* const name : {"cpu_elimination", "eigen_lu"}) {
    INFO(name);
    const std::string said = complaint_of<unavailable>([&] { on_host(name)->load(a, factoring::once); });
    CHECK_THAT(said, ContainsSubstring("does not fit: the full matrix needs"));
  }
  const auto structured = on_host("cpu_structured");
  std::vector<double> x(p.u0.size());
  structured->load(a, factoring::once);
  CHECK_NOTHROW(structured->solve(p.u0, x));
}

TEST_CASE("the parts of the time add up to the whole") {
  const matrix small = implicit_matrix(usual_problem(60)), large = implicit_matrix(usual_problem(3000));
  // Returns the seconds of one or five factorisations with five solves, and the
  // share that the parts account for.
  const auto measured = [](solver& s, const matrix& a, factoring when) {
    const std::vector<double> b(a.size(), 1);
    std::vector<double> x(a.size());
    const auto begin = std::chrono::steady_clock::now();
    s.load(a, when);
    for (int k = 0; k < 5; ++k) s.solve(b, x);
    const std::chrono::duration<double> whole = std::chrono::steady_clock::now() - begin;
    CHECK(s.spent().seconds.total() <= whole.count());
    return std::pair{whole.count(), s.spent().seconds.total() / whole.count()};
  };
  verification::in_sections<solver>("angiogenesis", [&](solver& s, const harness::target& on) {
    if (on.device.kind == backend::emulated) return;
    for (factoring when : all_factorings) {
      INFO(to_string(when));
      // Reading the clock takes a fraction of a microsecond, so a solver that needs a few
      // microseconds gets a larger system.
      const bool is_quick = measured(s, small, when).first < 5e-4;
      // Takes the best of several attempts, because any moment may be slow on a busy machine.
      double share = 0;
      for (int attempt = 0; attempt < 10 && share < .98; ++attempt)
        share = measured(s, is_quick ? large : small, when).second;
      CHECK(share >= .98);
      CHECK(s.spent().solves == 5);
      CHECK(s.spent().factorisations == (when == factoring::once ? 1 : 5));
    }
  });
}
