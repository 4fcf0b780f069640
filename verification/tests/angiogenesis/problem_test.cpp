// SPDX-License-Identifier: MIT
// Tests the angiogenesis problems: named cases, initial states, parameter files, and refusals.
#include <unistd.h>

#include "verification/tests/support/angiogenesis_systems.hpp"

using namespace reprise::angiogenesis::tests;

namespace {

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
  const problem p = usual_problem(21);

  CHECK(p.unknowns() == 84);
  CHECK(p.u0.size() == 84);
  CHECK(p.h() == 1.0 / 20);
  CHECK(p.x(0) == 0);
  CHECK(p.x(20) == 1);
}

TEST_CASE("the step of C ends at 0.1, that node included") {
  for (int nodes : {21, 31, 100, 101, 400, 1001}) {
    INFO(nodes);
    const problem p = usual_problem(nodes);
    int cells = 0;
    while (p.u0[static_cast<std::size_t>(cells)] == 1) ++cells;
    CHECK(cells == (nodes - 1) / 10 + 1);
    for (int i = cells; i < nodes; ++i) CHECK(p.u0[static_cast<std::size_t>(i)] == 0);
  }
}

TEST_CASE("the constant fields have values of their own") {
  const problem p = usual_problem(5);

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
  for (int nodes : {2, 1, 0, -7}) CHECK_THROWS_AS(usual_problem(nodes), bad_input);
  CHECK_THAT(complaint_of<bad_input>([] { usual_problem(2); }), ContainsSubstring("give at least 3"));
  CHECK_THAT(complaint_of<bad_input>([] { usual_problem(std::numeric_limits<int>::max()); }),
             ContainsSubstring("more than the solvers can count"));
  for (double dt : {0.0, -1e-3, infinity, not_a_number}) CHECK_THROWS_AS(usual_problem(9, dt), bad_input);
  const auto refuse = [](double parameters::*member, double value) {
    parameters given = slow_parameters();
    given.*member = value;
    CHECK_THROWS_AS(make_problem(given, taxis::nodal, start::step, 9, 1e-3), bad_input);
  };
  for (const auto& [name, member] : parameter_names)
    for (double value : {infinity, not_a_number}) {
      INFO(name);
      refuse(member, value);
    }
  refuse(&parameters::d_p, -1e-3);
  refuse(&parameters::eps, 0);
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
  const temporary_folder folder;
  testing::put(folder / "own.txt", whole);
  CHECK(read_parameters(folder / "own.txt").eps == .45);
}

TEST_CASE("a parameter file with a mistake is refused with its place") {
  for (const auto& [text, said] :
       {std::pair{without("k3=.1\n"), "my.txt: no value is given for k3"},
        {"", "no value is given for d_c d_p"},
        {whole + "\nk7=1", "my.txt, line 17: there is no parameter 'k7': give d_c"},
        {whole + "\nk1=1", "line 17: 'k1=1' gives a parameter again"},
        {"k1=fast", "line 1: 'fast' for k1 is no number"},
        {"k1=1 2", "'1 2' for k1 is no number"},
        {"k1=", "'' for k1 is no number"},
        {"k1", "'k1' is not NAME = NUMBER"},
        {without("eps=.45") + "eps=nan", "eps is nan"},
        {without("eps=.45") + "eps=-1", "eps is -1"}})
    CHECK_THAT(complaint_of<bad_input>([&, text = text] { parse_parameters(text, "my.txt"); }),
               ContainsSubstring(said));
  const temporary_folder folder;
  CHECK_THROWS_AS(read_parameters(folder / "none.txt"), bad_input);
  CHECK_THROWS_AS(read_parameters(folder.path()), bad_input);
}
