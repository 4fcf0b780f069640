// SPDX-License-Identifier: MIT
// Tests the rows computed from the atrium's runs: the lines of Fig 2, fitted orders, and times at equal errors.
#include "benchmarks/atrium/lines.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/atrium/order.hpp"
#include "benchmarks/atrium/rows.hpp"
#include "verification/tests/support/measured_rows.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using namespace reprise::harness::atrium_cases;

namespace {

// Two cells with fronts of 100 mV within a millisecond that begin at these times.
atrium::recording fronts(double first, double second) {
  atrium::recording r;
  for (int n = 0; n <= 200; ++n) {
    r.t.push_back(n * .1);
    for (double start : {first, second}) r.v.push_back(-80 + 100 * std::clamp(n * .1 - start, 0., 1.));
  }
  return r;
}

reports::row error_at(const std::string& method, double dt, double value) {
  return testing::measured_row("atrium/openmp", "", "method=" + method + ";dt=" + std::to_string(dt),
                               "error_voltage", value);
}

std::vector<reports::row> times_of(const std::vector<std::pair<double, double>>& times_and_errors) {
  std::vector<reports::row> rows;
  for (const auto& [seconds, error] : times_and_errors) {
    const std::string parameter = "method=midpoint;dt=" + std::to_string(seconds);
    rows.push_back(testing::measured_row("atrium/a", "162", parameter, "time_solve", seconds));
    rows.push_back(testing::measured_row("atrium/a", "162", parameter, "rrms", error));
  }
  return times_at_rrms(rows);
}

}  // namespace

TEST_CASE("Fig 2 shows the cell that is activated last, and what a late front is off by") {
  const auto all = front_lines(fronts(1, 5.2), fronts(1, 5));
  std::map<std::string, std::vector<found>> lines;
  for (const auto& f : all) lines[f.parameter.substr(0, f.parameter.find(';'))].push_back(f);
  REQUIRE(lines["of=trajectory"].size() == 81);
  REQUIRE(lines["of=difference"].size() == 81);
  CHECK(all[0].parameter == "of=trajectory;t=3.4");
  CHECK(all[1].parameter == "of=difference;t=3.4");
  const auto most = [&](const std::string& name) {
    double value = 0;
    for (const auto& f : lines[name]) value = std::max(value, std::abs(f.value));
    return value;
  };
  CHECK_THAT(most("of=difference"), WithinAbs(20, 1e-6));
  CHECK_THAT(lines["of=trajectory"].front().value, WithinAbs(-80, 1e-9));
  CHECK_THAT(lines["of=trajectory"].back().value, WithinAbs(20, 1e-9));
  CHECK_THAT(lines["of=difference"].back().value, WithinAbs(0, 1e-9));

  // Fig 3: a front that is late by 0.2 ms is off by that along the time, by 20 mV along the voltage.
  CHECK_THAT(most("of=vertical"), WithinAbs(20, 1e-6));
  const auto& late = lines["of=horizontal"];
  const auto in_front =
      std::ranges::find_if(late, [](const auto& f) { return f.parameter.ends_with("t=5.7"); });
  REQUIRE(in_front != late.end());
  CHECK_THAT(in_front->value, WithinAbs(0.2, 1e-6));

  // The second cell is never activated.
  CHECK(front_lines(fronts(1, 30), fronts(1, 30))[0].parameter == "of=trajectory;t=0");
  CHECK(front_lines(fronts(30, 30), fronts(30, 30)).empty());
}

TEST_CASE("an order is fitted to the errors of each method") {
  std::vector<reports::row> rows;
  for (double dt : {.16, .08, .04, .02, .01}) {
    rows.push_back(error_at("midpoint", dt, 3 * dt * dt));
    rows.push_back(error_at("euler", dt, dt));
  }
  rows.push_back(error_at("euler", .005, 5e-13));  // rounding
  rows.push_back(error_at("cash_karp", .08, .1));  // one point is no line
  const auto orders = fitted_orders(rows);
  REQUIRE(orders.size() == 3);
  CHECK(orders[0].parameter == "method=cash_karp");
  CHECK(orders[0].status == "skipped");
  CHECK(orders[0].reason.find("an order needs 5") != std::string::npos);
  CHECK(orders[1].parameter == "method=euler");
  CHECK_THAT(orders[1].value, WithinAbs(1, 1e-9));
  CHECK(orders[1].samples == 5);
  CHECK(orders[2].parameter == "method=midpoint");
  CHECK(orders[2].metric == "order_voltage");
  CHECK_THAT(orders[2].value, WithinAbs(2, 1e-9));
  CHECK(orders[2].q1 <= orders[2].value);
  CHECK(orders[2].q3 >= orders[2].value);
}

TEST_CASE("the time for an RRMS lies between the settings of a method") {
  const auto rows = times_of({{1, 1e-1}, {4, 1e-3}});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].metric == "time_at_rrms_1e-2");
  CHECK(rows[0].parameter == "method=midpoint");
  CHECK_THAT(rows[0].value, Catch::Matchers::WithinRel(2., 1e-9));
  CHECK_THAT(rows[1].value, Catch::Matchers::WithinRel(4., 1e-9));
}

TEST_CASE("a method whose errors do not reach an RRMS has no time for it, and a reason") {
  const auto rows = times_of({{1, 1e-1}, {4, 5e-2}});
  REQUIRE(rows.size() == 2);
  for (const auto& r : rows) {
    CHECK(r.status == "skipped");
    CHECK(!r.reason.empty());
  }
}
