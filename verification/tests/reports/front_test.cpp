// SPDX-License-Identifier: MIT
// Tests the figure of errors against times: the fastest implementation of each setting, and what is on the front.
#include "reports/page/front.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

std::vector<row> a_solve(const std::string& variant, const std::string& size, const std::string& parameter,
                         double seconds, double error) {
  auto time = with_metric(a_row("table1", variant, "cuda:0", size, seconds), "time_solve", "s");
  time.parameter = parameter;
  auto rrms = with_metric(time, "rrms", "1");
  rrms.value = error;
  return {time, rrms};
}

std::optional<figure> front_of(const std::vector<std::vector<row>>& solves) {
  std::vector<row> rows;
  for (const auto& one : solves) rows.insert(rows.end(), one.begin(), one.end());
  const std::vector<run> runs{a_run(rows)};
  return make_front("jacobi", shown_rows({}, runs), runs);
}

const series& series_of(const figure& f, const std::string& colour) {
  return *std::ranges::find(f.lines, colour, &series::colour);
}

}  // namespace

TEST_CASE(
    "the front has every method that no other one beats in time and error, each by its fastest variant") {
  const auto f = front_of({a_solve("slow", "64", "method=euler;dt=0.1", 5, .2),
                           a_solve("fast", "64", "method=euler;dt=0.1", 1, .2),
                           a_solve("fast", "64", "method=fehlberg;at=1", 3, .3),
                           a_solve("fast", "64", "method=exponential_midpoint;dt=0.1", 4, .01),
                           a_solve("fast", "16", "method=heun;dt=0.1", .1, .001)});
  REQUIRE(f);
  REQUIRE(f->lines.size() == 4);  // three methods of the largest size, and the front
  CHECK(series_of(*f, "euler").points.size() == 1);
  CHECK(series_of(*f, "euler").points[0].x == 1);
  const auto& front = series_of(*f, "Pareto front");
  CHECK(front.is_roof);
  REQUIRE(front.points.size() == 2);
  CHECK(front.points[0].x == 1);
  CHECK(front.points[1].x == 4);
  CHECK_THAT(f->note, ContainsSubstring("On the front of NVIDIA H200, single: euler, exponential midpoint."));
}

TEST_CASE("disturbed solves, and a board with one method, have no front") {
  auto disturbed = a_solve("a", "64", "method=euler;dt=0.1", 1, .2);
  disturbed.front().status = "disturbed";
  CHECK(!front_of({disturbed, a_solve("a", "64", "method=fehlberg;at=1", 3, .3)}));
  CHECK(!front_of({}));
}
