// SPDX-License-Identifier: MIT
// Tests the angiogenesis problems: named cases, initial states, parameter files, and refusals.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <limits>
#include <string>

#include "solvers/angiogenesis/problem.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/temporary_folder.hpp"

using namespace reprise;
using namespace reprise::angiogenesis;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinAbs;
using reprise::testing::complaint_of;

namespace {

problem usual(int nodes, double dt = 1e-3) {
  return make_problem(slow_parameters(), taxis::nodal, start::step, nodes, dt);
}

std::string complaint(const std::string& text) {
  return complaint_of<bad_input>([&] { parse_parameters(text, "my.txt"); });
}

const std::string whole =
    "d_c=.001\nd_p = 0.005\n d_i=5e-3 # as d_p\n\n# rates\nk1=.1\nk2=.1\nk3=.1\nk4=.1\nk5=.05\nk6=.05\n"
    "a1=.1\r\na2=.1\na3=.2\na4=1\neps=.45";

std::string without(const std::string& text) {
  std::string rest = whole;
  const auto at = rest.find(text);
  return rest.erase(at, text.size());
}

}  // namespace

TEST_CASE("an angiogenesis state is four fields on nodes from 0 to 1") {
  const problem p = usual(21);

  CHECK(p.unknowns() == 84);
  CHECK(p.u0.size() == 84);
  CHECK(p.h() == 1.0 / 20);
  CHECK(p.x(0) == 0);
  CHECK(p.x(20) == 1);
}

TEST_CASE("the step of C ends at 0.1, that node included") {
  for (int nodes : {21, 31, 100, 101, 400, 1001}) {
    INFO(nodes);
    const problem p = usual(nodes);
    int cells = 0;
    while (p.u0[static_cast<std::size_t>(cells)] == 1) ++cells;
    CHECK(cells == (nodes - 1) / 10 + 1);
    for (int i = cells; i < nodes; ++i) CHECK(p.u0[static_cast<std::size_t>(i)] == 0);
  }
}

TEST_CASE("the constant fields have values of their own") {
  const problem p = usual(5);

  CHECK(p.u0 == std::vector<double>{1,   0,   0,   0,   0,   .03, .03, .03, .03, .03,
                                    .05, .05, .05, .05, .05, .08, .08, .08, .08, .08});
}

TEST_CASE("the smooth state is made of cosines") {
  const problem p = make_problem(fast_parameters(), taxis::nodal, start::smooth, 3, 1e-3);

  const std::vector<double> expected{.75,    .5,     .25,    .09375,  .0625, .03125,
                                     .09375, .03125, .09375, .078125, .0625, .046875};
  for (std::size_t k = 0; k < expected.size(); ++k) CHECK_THAT(p.u0[k], WithinAbs(expected[k], 1e-15));
}

TEST_CASE("the named cases are those of the specification") {
  CHECK(default_case().problem.nodes == 100);
  CHECK(default_case().problem.dt == 1e-3);
  CHECK(default_case().steps == 100);
  CHECK(stress_case().problem.dt == .1);
  CHECK(stress_case().steps == 20);
  CHECK(smooth_case().problem.parameters.eps == .1);
  CHECK(smooth_case().problem.reading == taxis::nodal);
}

TEST_CASE("an angiogenesis problem that makes no sense is refused in one line") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (int nodes : {2, 1, 0, -7}) CHECK_THROWS_AS(usual(nodes), bad_input);
  CHECK_THAT(complaint_of<bad_input>([] { usual(2); }), ContainsSubstring("give at least 3"));
  CHECK_THAT(complaint_of<bad_input>([] { usual(std::numeric_limits<int>::max()); }),
             ContainsSubstring("more than the solvers can count"));
  for (double dt : {0.0, -1e-3, infinity, not_a_number}) CHECK_THROWS_AS(usual(9, dt), bad_input);
  for (const auto& [name, member] : parameter_names)
    for (double value : {infinity, not_a_number}) {
      INFO(name);
      parameters with = slow_parameters();
      with.*member = value;
      CHECK_THROWS_AS(make_problem(with, taxis::nodal, start::step, 9, 1e-3), bad_input);
    }
  parameters with = slow_parameters();
  with.d_p = -1e-3;
  CHECK_THROWS_AS(make_problem(with, taxis::nodal, start::step, 9, 1e-3), bad_input);
  with = slow_parameters();
  with.eps = 0;
  CHECK_THROWS_AS(make_problem(with, taxis::nodal, start::step, 9, 1e-3), bad_input);
}

TEST_CASE("a grid beyond this machine's memory is refused before any is taken") {
  // 1000 bytes per node are assumed, and no state is allocated.
  constexpr int nodes = 33'000'000;
  const double present =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const std::string said =
      complaint_of<bad_input>([] { empty_problem(slow_parameters(), taxis::nodal, nodes, 1e-3); });
  CHECK(said.empty() == (1000.0 * nodes <= .8 * present));
}

TEST_CASE("a parameter file is lines of NAME = NUMBER") {
  const parameters read = parse_parameters(whole, "my.txt");

  for (const auto& [name, member] : parameter_names) {
    INFO(name);
    CHECK(read.*member == slow_parameters().*member);
  }
  const testing::temporary_folder folder;
  testing::put(folder / "own.txt", whole);
  CHECK(read_parameters(folder / "own.txt").eps == .45);
}

TEST_CASE("a parameter file with a mistake is refused with its place") {
  CHECK_THAT(complaint(without("k3=.1\n")), ContainsSubstring("my.txt: no value is given for k3"));
  CHECK_THAT(complaint(""), ContainsSubstring("no value is given for d_c d_p"));
  CHECK_THAT(complaint(whole + "\nk7=1"),
             ContainsSubstring("my.txt, line 17: there is no parameter 'k7': give d_c"));
  CHECK_THAT(complaint(whole + "\nk1=1"), ContainsSubstring("line 17: 'k1=1' gives a parameter again"));
  CHECK_THAT(complaint("k1=fast"), ContainsSubstring("line 1: 'fast' for k1 is no number"));
  CHECK_THAT(complaint("k1=1 2"), ContainsSubstring("'1 2' for k1 is no number"));
  CHECK_THAT(complaint("k1="), ContainsSubstring("'' for k1 is no number"));
  CHECK_THAT(complaint("k1"), ContainsSubstring("'k1' is not NAME = NUMBER"));
  CHECK_THAT(complaint(without("eps=.45") + "eps=nan"), ContainsSubstring("eps is nan"));
  CHECK_THAT(complaint(without("eps=.45") + "eps=-1"), ContainsSubstring("eps is -1"));
  const testing::temporary_folder folder;
  CHECK_THROWS_AS(read_parameters(folder / "none.txt"), bad_input);
  CHECK_THROWS_AS(read_parameters(folder.path()), bad_input);
}
