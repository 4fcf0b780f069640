// SPDX-License-Identifier: MIT
// Tests the check of the problem itself: a change of a millionth in any part of it is found.
#include "verification/angiogenesis/problem_check.hpp"
#include "reference/angiogenesis/paper.hpp"
#include "verification/tests/support/angiogenesis_systems.hpp"

using namespace reprise::angiogenesis::tests;

namespace {

constexpr double millionth = 1e-6;

problem stated(taxis reading = taxis::nodal, int nodes = 34) {
  return ref::stated_problem(ref::rates::slow, reading, start::smooth, nodes, 1e-3);
}

bool are_good(const std::vector<checkers::finding>& findings) {
  return checkers::all_good(findings);
}

}  // namespace

TEST_CASE("the code states the problem that the reference states") {
  for (const check::problem_check& c : check::problem_checks())
    for (const checkers::finding& f : c.judge()) {
      INFO(c.name << ": " << checkers::describe(f));
      CHECK(f.good());
    }
}

TEST_CASE("a millionth more in a parameter, a step or an initial value is found") {
  CHECK(are_good(check::judge_problem(stated(), stated())));
  for (const auto& [name, member] : parameter_names) {
    problem changed = stated();
    changed.parameters.*member *= 1 + millionth;
    INFO(name);
    CHECK_FALSE(are_good(check::judge_problem(changed, stated())));
    CHECK_FALSE(are_good(check::judge_defaults(changed.parameters, 1e-3)));
  }
  for (std::size_t k = 0; k < stated().u0.size(); k += 5) {
    problem changed = stated();
    changed.u0[k] *= 1 + millionth;
    CHECK_FALSE(are_good(check::judge_problem(changed, stated())));
    changed.u0[k] = not_a_number;
    CHECK_FALSE(are_good(check::judge_problem(changed, stated())));
  }
  problem changed = stated();
  changed.dt *= 1 + millionth;
  CHECK_FALSE(are_good(check::judge_problem(changed, stated())));
  CHECK_FALSE(are_good(check::judge_operators(changed, stated())));
  CHECK_FALSE(are_good(check::judge_defaults(slow_parameters(), changed.dt)));
  CHECK_FALSE(are_good(check::judge_problem(stated(taxis::analytic), stated())));
  CHECK_FALSE(are_good(check::judge_problem(stated(taxis::nodal, 35), stated())));
}

TEST_CASE("the matrices show a millionth more in each of their parameters") {
  for (const auto member : {&parameters::d_c, &parameters::d_p, &parameters::d_i, &parameters::k4,
                            &parameters::k6, &parameters::eps}) {
    problem changed = stated();
    changed.parameters.*member *= 1 + millionth;
    CHECK_FALSE(are_good(check::judge_operators(changed, stated())));
  }
}

TEST_CASE("the stated rates are those of the reference's operators") {
  for (const taxis reading : all_readings)
    for (const ref::rates which : {ref::rates::slow, ref::rates::fast}) {
      const problem p = ref::stated_problem(which, reading, start::smooth, 23, 1e-3);
      const std::vector<double> u = check::rough_state(23);
      const Eigen::VectorXd state = Eigen::Map<const Eigen::VectorXd>(u.data(), 92);
      const Eigen::VectorXd expected = ref::nonlinear_rate(p, state);
      const std::vector<ref::sized> rates = ref::stated_rates(p, state);
      for (std::size_t k = 0; k < rates.size(); ++k)
        CHECK(std::abs(static_cast<double>(rates[k].value) - expected(static_cast<Eigen::Index>(k))) <=
              1e-14 * static_cast<double>(rates[k].size));
    }
}

TEST_CASE("a rough state has negative values in every field, inside and at an end, and more than one of C") {
  for (const int nodes : {4, 33, 34}) {
    const std::vector<double> u = check::rough_state(nodes);
    const auto m = static_cast<std::ptrdiff_t>(nodes);
    for (std::ptrdiff_t f = 0; f < 4; ++f) {
      const auto begin = u.begin() + f * m;
      CHECK(std::min(*begin, *(begin + m - 1)) < 0);
      CHECK(*std::max_element(begin, begin + m) > .3);
    }
    CHECK(u.size() == static_cast<std::size_t>(4 * nodes));
    if (nodes > 4) CHECK(*std::max_element(u.begin(), u.begin() + m) > 1);
  }
}

TEST_CASE("a run that miscounts what it clips, or its mass, is found") {
  problem p = empty_problem(slow_parameters(), taxis::nodal, 33, 1e-3);
  p.u0 = check::rough_state(33);
  const check::run_expectation e(p, 3);
  const auto s = on_host("cpu_structured");
  imex run(p, *s, factoring::once);
  run.advance(3);
  CHECK(run.so_far().clipped > 20);
  CHECK(are_good(e.judge_monitors(run, 0)));
  run.advance(1);
  CHECK_FALSE(are_good(e.judge_monitors(run, 0)));
}
