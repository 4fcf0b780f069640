// SPDX-License-Identifier: MIT
// Tests times at equal error: interpolated between measured points, and refused beyond them.
#include "reports/judging/equal_error.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <vector>

namespace {

using namespace reprise::reports;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

// A method of order p with error dt^p, simulated for one unit of time with this time per step.
std::vector<work_point> method_of_order(int order, double seconds_a_step) {
  std::vector<work_point> points;
  for (const double dt : {1e-1, 1e-2, 1e-3}) points.push_back({std::pow(dt, order), seconds_a_step / dt});
  return points;
}

}  // namespace

TEST_CASE("a time at an error is exact for a power law, at its points and between them") {
  const auto heun = method_of_order(2, 3.0);

  CHECK_THAT(time_at_error(heun, 1e-4).seconds, WithinRel(300.0, 1e-12));
  CHECK_THAT(time_at_error(heun, 1e-5).seconds, WithinRel(3 / std::sqrt(1e-5), 1e-12));
  CHECK_THAT(time_at_error(heun, 1e-2).seconds, WithinRel(30.0, 1e-12));
  CHECK_THAT(time_at_error(heun, 1e-6).seconds, WithinRel(3000.0, 1e-12));
  CHECK_THAT(time_at_error(heun, 1e-5).reason,
             ContainsSubstring("between the measured errors 1e-06 and 0.0001"));
}

TEST_CASE("the speed-up between two orders at equal error is what their laws say") {
  const auto euler = method_of_order(1, 1.0), heun = method_of_order(2, 2.0);

  const double error = 2e-3;  // within the measured errors of both
  CHECK_THAT(time_at_error(euler, error).seconds / time_at_error(heun, error).seconds,
             WithinRel(1 / (2 * std::sqrt(error)), 1e-12));
}

TEST_CASE("nothing is read off beyond the measured errors") {
  for (const double error : {0.99e-6, 1.01e-2}) {
    const auto refused = time_at_error(method_of_order(2, 3.0), error);
    CHECK(std::isnan(refused.seconds));
    CHECK_THAT(refused.reason, ContainsSubstring("outside the measured ones, 1e-06 to 0.01"));
  }
}

TEST_CASE("one point, or none, gives no time") {
  CHECK_THAT(time_at_error({}, 1).reason, ContainsSubstring("fewer than two"));
  CHECK_THAT(time_at_error({{1e-3, 1.0}}, 1e-3).reason, ContainsSubstring("fewer than two"));
  const double nan = std::nan("");
  CHECK(std::isnan(time_at_error({{1e-3, 1.0}, {nan, 2.0}, {0, 3.0}, {1e-4, -1.0}}, 1e-3).seconds));
}

TEST_CASE("points beyond the floor of rounding do not make an error dearer") {
  auto points = method_of_order(2, 3.0);
  points.push_back({2e-6, 30000.0});
  points.push_back({5e-5, 400000.0});

  CHECK_THAT(time_at_error(points, 1e-5).seconds, WithinRel(3 / std::sqrt(1e-5), 1e-12));
}
