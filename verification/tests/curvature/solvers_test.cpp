// SPDX-License-Identifier: MIT
// Tests Merson's step control and its guards, and every curvature variant against its reference, against the
// others and against the digits printed in the paper.
#include <map>

#include "verification/tests/support/curvature_surfaces.hpp"
#include "verification/tests/support/measured_rows.hpp"

using namespace reprise::curvature::tests;

namespace {

merson trying(double tau, double t_end, double eps = 1e-6) {
  merson m = at_start({.eps = eps, .first_step = tau, .fixed_steps = false, .most_attempts = 1000});
  start_interval(m, t_end);
  return m;
}

// Errors in three norms of the run in the paper's row `cells`.
ref::norms table_errors(solver& s, flow motion, int cells, precision arithmetic) {
  const problem p = manufactured_problem(motion, cells, cells);
  s.load(p, arithmetic);
  s.reset(make_control(p, .1, 5e-7));
  ref::space_time_norms norms(.005);
  norms.add(p, s.surface(), 0);
  for (int k = 1; k <= 20; ++k) {
    CHECK(check::failure_of(s.advance(.005 * k)).empty());
    norms.add(p, s.surface(), .005 * k);
  }
  return norms.result();
}

void check_rows(const std::string& id, flow motion, precision arithmetic,
                const std::vector<printed_row>& rows) {
  const auto s = verification::on_host<solver>(id);
  for (const printed_row& row : rows) {
    INFO(id << ' ' << to_string(motion));
    check_digits(table_errors(*s, motion, row.cells, arithmetic), row);
  }
}

}  // namespace

TEST_CASE("the next step is four fifths of the fifth root of eps over e, and only errors below eps pass") {
  for (double e : {4e-7, 1e-6, 4e-6}) {
    merson m = trying(.01, 1);
    CHECK(finish_attempt(m, e) == (e < 1e-6));
    CHECK_THAT(m.tau, WithinRel(.8 * .01 * std::pow(1e-6 / e, .2), 1e-12));
    CHECK(m.t == (e < 1e-6 ? .01 : 0));
    CHECK(m.accepted == (e < 1e-6 ? 1 : 0));
    CHECK(m.rejected == (e < 1e-6 ? 0 : 1));
    CHECK(m.evaluations == 5);
  }
}

TEST_CASE("an error of zero makes a step to the end and nothing infinite") {
  merson m = trying(.01, 1);
  CHECK(finish_attempt(m, 0));
  CHECK(std::isfinite(m.wanted));
  CHECK(m.tau == 1 - .01);
  CHECK(finish_attempt(m, 0));
  CHECK(m.state == ending::reached);
  CHECK(m.t == 1);
}

TEST_CASE("an error that is not a number is rejected and the step shrinks until the run is given up") {
  for (double e : {not_a_number, infinity}) {
    merson m = trying(.01, 1);
    int attempts = 0;
    while (m.state == ending::running && attempts < 100) {
      CHECK_FALSE(finish_attempt(m, e));
      CHECK(std::isfinite(m.tau));
      ++attempts;
    }
    CHECK(m.state == ending::step_underflow);
    CHECK(attempts < 20);
    CHECK(m.t == 0);
    CHECK(check::failure_of(m).starts_with("unstable at t = 0"));
  }
}

TEST_CASE("a step cut at the end of an interval does not shorten the next interval's") {
  merson m = trying(.01, .011);
  CHECK(finish_attempt(m, 1e-6 * std::pow(.8, 5)));  // so that the step keeps its length
  CHECK_THAT(m.tau, WithinRel(.001, 1e-9));
  CHECK(finish_attempt(m, 1e-12));
  CHECK(m.state == ending::reached);
  CHECK(m.t == .011);
  start_interval(m, 1);
  CHECK_THAT(m.tau, WithinRel(.01, 1e-9));
}

TEST_CASE("a cut step that is rejected does count") {
  merson m = trying(.01, .005);
  CHECK_FALSE(finish_attempt(m, 1e-3));
  CHECK(m.wanted < .005);
}

TEST_CASE("a run ends after as many attempts as were allowed") {
  merson m = trying(.01, 1);
  m.control.most_attempts = 7;
  int attempts = 0;
  while (m.state == ending::running) {
    finish_attempt(m, attempts % 2 == 0 ? 2e-6 : 5e-7);
    ++attempts;
  }
  CHECK(attempts == 7);
  CHECK(m.state == ending::too_many_steps);
  CHECK(check::failure_of(m).starts_with("unstable at t = "));
}

TEST_CASE("what no run could be made of is refused in one line") {
  const problem p = manufactured_problem(flow::willmore, 16, 16);
  for (double bad : {0.0, -1e-6, not_a_number, infinity}) {
    CHECK_THROWS_AS(make_control(p, .1, bad), bad_input);
    CHECK_THROWS_AS(make_control(p, bad, 1e-6), bad_input);
    CHECK_THROWS_AS(fixed_steps(bad), bad_input);
  }
  CHECK_THROWS_AS(make_control(p, 1e12, 1e-6), bad_input);
  for (int bad : {1, 0, -3}) {
    CHECK_THROWS_AS(manufactured_problem(flow::mean_curvature, bad, 16), bad_input);
    CHECK_THROWS_AS(evolution_problem(flow::mean_curvature, 16, bad), bad_input);
  }
  CHECK_THROWS_AS(evolution_problem(flow::mean_curvature, 1 << 15, 1 << 15), bad_input);
}

TEST_CASE("all variants of a method agree at equal steps to rounding") {
  for (flow motion : all_flows) {
    const problem p = skew_problem(motion, boundary::manufactured, 37, 18);
    const double tau = .5 * largest_stable_step(p);
    std::map<integrator, std::vector<double>> firsts;
    verification::for_every_variant<solver>("curvature", [&](solver& s) {
      if (!is_loaded(s, p, precision::double_)) return;
      std::vector<double>& first = firsts[s.method()];
      s.reset(fixed_steps(tau));
      const merson m = s.advance(9.5 * tau);
      CHECK(m.accepted == 10);
      const std::vector<double> u = s.surface();
      if (first.empty()) first = u;
      CHECK(largest_difference(u, first) < 1e-12);
    });
  }
}

TEST_CASE("the printed digits of Tables 2, 3 and 4 come out on the CPU") {
  check_rows("curvature/openmp", flow::mean_curvature, precision::double_, mean_curvature_rows);
  check_rows("curvature/openmp", flow::mean_curvature, precision::single, mean_curvature_rows);
  check_rows("curvature/cpu_serial", flow::mean_curvature, precision::double_,
             {mean_curvature_rows.begin(), mean_curvature_rows.end() - 1});
  check_rows("curvature/openmp", flow::willmore, precision::double_, willmore_rows);
  check_rows("curvature/cpu_serial", flow::willmore, precision::double_, {willmore_rows.front()});
}

TEST_CASE("mean-curvature flow converges with order two") {
  const auto s = verification::on_host<solver>("curvature/openmp");
  const auto coarse = table_errors(*s, flow::mean_curvature, 64, precision::double_);
  const auto fine = table_errors(*s, flow::mean_curvature, 128, precision::double_);
  for (double ratio : {coarse.l1 / fine.l1, coarse.l2 / fine.l2, coarse.linf / fine.linf})
    CHECK(std::abs(std::log2(ratio) - 2) < .05);
}

TEST_CASE("each flow's rate is counted in its own operations, whatever else the row's parameter says") {
  const auto& table7 = verification::experiment_of("curvature/table7");
  for (const auto& [parameter, flops] : std::map<std::string, double>{
           {"flow=willmore", 303}, {"flow=willmore;eps=1e-06", 303}, {"flow=mean_curvature;eps=1e-06", 85}}) {
    const auto measured = [&](const char* metric, double value) {
      return testing::measured_row("curvature/openmp", "9x9", parameter, metric, value);
    };
    const auto derived =
        table7.derive(std::vector{measured("time_solve", 2), measured("rhs_evaluations", 5000)});
    INFO(parameter);
    CHECK_THAT(testing::row_of(derived, "gflops_paper").value,
               WithinRel(flops * 100 * 5000 / 2 * 1e-9, 1e-12));
  }
}

TEST_CASE("a surface with a hole ends every variant's run, and says where") {
  for (flow motion : all_flows) {
    problem p = evolution_problem(motion, 9, 8);
    p.u0[node(p, 4, 4)] = not_a_number;
    verification::for_every_variant<solver>("curvature", [&](solver& s) {
      if (!is_loaded(s, p, precision::double_)) return;
      s.reset(make_control(p, 1e-3, 1e-6));
      CHECK(check::failure_of(s.advance(1e-3)).starts_with("unstable at t = 0"));
    });
  }
}

TEST_CASE("a tolerance that lets steps grow beyond stability ends every variant's run") {
  for (flow motion : all_flows) {
    const problem p = skew_problem(motion, boundary::dirichlet, 8, 7);
    const double t_end = 2000 * largest_stable_step(p);
    verification::for_every_variant<solver>("curvature", [&](solver& s) {
      if (!is_loaded(s, p, precision::double_)) return;
      s.reset(make_control(p, t_end, 1e12));
      const merson m = s.advance(t_end);
      CHECK(m.accepted + m.rejected <= make_control(p, t_end, 1).most_attempts);
    });
  }
}

TEST_CASE("a run can be taken up again after it was given up") {
  verification::for_every_variant<solver>("curvature", [](solver& s) {
    const problem p = skew_problem(flow::mean_curvature, boundary::neumann, 9, 12);
    const check::run_expectation e(p, s.method());
    s.load(p, precision::double_);
    control impatient = e.control();
    impatient.most_attempts = 3;
    s.reset(impatient);
    CHECK_FALSE(check::failure_of(s.advance(e.sample_times().back())).empty());
    CHECK(checkers::all_good(check::verify(s, e, precision::double_)));
  });
}
