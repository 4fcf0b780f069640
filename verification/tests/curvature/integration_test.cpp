// SPDX-License-Identifier: MIT
// Tests the curvature reference in time: Merson's method and its step control against a linear mode's closed
// form and a finer integration, the functionals that the flows decrease, and the errors printed in the paper.
#include "verification/tests/support/curvature_surfaces.hpp"

using namespace reprise::curvature::tests;

namespace {

std::vector<double> sample_times(double t_end, int intervals) {
  std::vector<double> times;
  for (int k = 0; k <= intervals; ++k) times.push_back(t_end * k / intervals);
  return times;
}

// Errors of a row of Tables 3 and 4: M = 20 intervals, T = 0.1. The paper's row "16" has 15 cells.
ref::norms published_row(flow motion, int cells) {
  const problem p = manufactured_problem(motion, cells, cells);
  ref::space_time_norms errors(.1 / 20);
  ref::merson_adaptive(p, sample_times(.1, 20), 5e-7, largest_stable_step(p) / 2,
                       [&](double t, const surface& u) { errors.add(p, u, t); });
  return errors.result();
}

}  // namespace

TEST_CASE("each flow lowers what it is the gradient flow of") {
  for (flow motion : all_flows) {
    // A surface that this grid resolves. On rougher ones the discrete energy may rise for a while.
    const problem p = skew_problem(motion, boundary::neumann, 24, 20);
    const auto value = [&](const surface& u) {
      return motion == flow::mean_curvature ? ref::area(p, u) : ref::willmore_energy(p, u);
    };
    const double stable = largest_stable_step(p);
    const double start = value(p.u0);
    double last = start;
    ref::merson_adaptive(p, sample_times(200 * stable, 10), 1e-6, stable / 2,
                         [&](double t, const surface& u) {
                           INFO(to_string(motion) << " at " << t);
                           CHECK(value(u) <= last);
                           last = value(u);
                         });
    CHECK(last < .99 * start);
  }
}

TEST_CASE("a step of a linear mode is Merson's polynomial, and his error a fifth power over 720") {
  for (flow motion : all_flows)
    for (double z : {-.4, -1.5, -3.0}) {
      const linear_mode m = make_mode(motion, 5);
      const auto one = ref::merson_steps(m.p, z / m.eigenvalue, 1);
      const double growth = 1 + z + z * z / 2 + z * z * z / 6 + std::pow(z, 4) / 24 + std::pow(z, 5) / 144;
      double largest = 0;
      for (std::size_t k = 0; k < one.u.size(); ++k) {
        CHECK_THAT(one.u[k], WithinAbs(growth * m.p.u0[k], 1e-13));
        largest = std::max(largest, std::abs(m.p.u0[k]));
      }
      CHECK_THAT(one.error, WithinRel(std::pow(-z, 5) / 720 * largest, 1e-4));
    }
}

TEST_CASE("Merson's method has order four in every setting, and so has his estimate of one step") {
  // For linear equations the estimate would be of order five; nonlinear and
  // time-dependent terms reduce it to four.
  const auto has_order_four = [](double coarse, double fine) {
    const double order = std::log2(coarse / fine);
    CHECK(order > 3.8);
    CHECK(order < 4.4);
  };
  for_every_setting([&](flow motion, boundary at_border) {
    const problem p = skew_problem(motion, at_border, 16, 18);
    const double t_end = 4 * largest_stable_step(p);
    const auto exact_in_time = ref::integrate(p, t_end, 1e-14);
    CHECK(exact_in_time.steps > 2);
    const auto coarse = ref::merson_steps(p, t_end / 64, 64);
    const auto fine = ref::merson_steps(p, t_end / 128, 128);
    has_order_four(largest_difference(coarse.u, exact_in_time.u),
                   largest_difference(fine.u, exact_in_time.u));
    has_order_four(coarse.error, fine.error);
  });
}

TEST_CASE("the plain Algorithm 4.1 and Merson's tableau take the same step") {
  for_every_setting([](flow motion, boundary at_border) {
    const problem p = skew_problem(motion, at_border, 13, 10);
    const double tau = largest_stable_step(p) / 4;
    const auto tableau = ref::merson_steps(p, tau, 1);
    const auto plain = ref::merson_adaptive(p, {tau}, 1.001 * tableau.error, tau);
    CHECK(plain.accepted == 1);
    CHECK(plain.rejected == 0);
    CHECK(largest_difference(plain.u, tableau.u) < 1e-13);
    CHECK(ref::merson_adaptive(p, {tau}, .999 * tableau.error, tau).rejected > 0);
  });
}

TEST_CASE("the step after an error e is four fifths of the fifth root of eps/e as long") {
  const linear_mode m = make_mode(flow::mean_curvature, 1);
  const double first = .1 / -m.eigenvalue;
  const double eps = 1e-12;
  const double second = .8 * first * std::pow(eps / ref::merson_steps(m.p, first, 1).error, .2);
  CHECK(ref::merson_adaptive(m.p, {first + .999 * second}, eps, first).accepted == 2);
  CHECK(ref::merson_adaptive(m.p, {first + 1.001 * second}, eps, first).accepted == 3);
}

TEST_CASE("an accepted step that was cut leaves the next one as it was") {
  const linear_mode m = make_mode(flow::mean_curvature, 1);
  // Five samples a fifth of the first step apart, then room for two more of these steps.
  const double step = .1 / -m.eigenvalue;
  std::vector<double> times;
  for (int k = 1; k <= 5; ++k) times.push_back(step * k / 5);
  times.push_back(3 * step);
  std::vector<double> seen;
  const auto run =
      ref::merson_adaptive(m.p, times, 1e-12, step, [&](double t, const surface&) { seen.push_back(t); });
  CHECK(seen == times);
  // A cut step has a very small error. If it counted, the next step would cover the whole rest.
  CHECK(run.accepted == 7);
  CHECK(run.rejected == 0);
}

TEST_CASE("a surface without error takes one step to each sample and hits it to the last bit") {
  problem p = skew_problem(flow::willmore, boundary::neumann, 6, 6);
  p.u0.assign(p.nodes(), 1);
  for (const std::vector<double>& times : {std::vector{.001, .013}, {.003, .013}}) {
    std::vector<double> seen;
    const auto run =
        ref::merson_adaptive(p, times, 1e-6, .0005, [&](double t, const surface&) { seen.push_back(t); });
    CHECK(seen == times);
    CHECK(run.accepted == 3);
    CHECK(run.u == p.u0);
  }
}

TEST_CASE("steps too long are rejected and the result keeps its tolerance") {
  const problem p = skew_problem(flow::mean_curvature, boundary::neumann, 12, 12);
  const double t_end = 10 * largest_stable_step(p);
  const auto run = ref::merson_adaptive(p, {t_end}, 1e-8, t_end);
  CHECK(run.rejected >= 1);
  CHECK(largest_difference(run.u, ref::integrate(p, t_end, 1e-12).u) < 1e-6);
}

TEST_CASE("a surface that is not a number ends the adaptive run") {
  problem p = skew_problem(flow::mean_curvature, boundary::neumann, 6, 6);
  p.u0[node(p, 3, 3)] = not_a_number;
  CHECK_THROWS_AS(ref::merson_adaptive(p, {.1}, 1e-6, .01), std::runtime_error);
}

TEST_CASE("the reference gives the errors that the paper printed") {
  for (const printed_row& row : mean_curvature_rows)
    if (row.cells < 128) check_digits(published_row(flow::mean_curvature, row.cells), row);
  for (const printed_row& row : willmore_rows) check_digits(published_row(flow::willmore, row.cells), row);
}
