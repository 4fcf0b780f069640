// SPDX-License-Identifier: MIT
// Tests efficiencies and predictions on generated rows of several ranks.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/scale/rows.hpp"

using namespace reprise;
using namespace reprise::harness::scale;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;
using reports::row;

namespace {

row measured(const std::string& metric, double value, const std::string& cells, int ranks) {
  row r;
  r.run = "made up";
  r.experiment = "scale/strong";
  r.variant = "atrium/cuda_multi";
  r.device = "cuda:0";
  r.precision = "single";
  r.size = cells;
  r.parameter = "method=euler;dt=0.05;ranks=" + std::to_string(ranks);
  r.metric = metric;
  r.value = value;
  r.unit = "s";
  r.samples = 1;
  r.status = "ok";
  return r;
}

}  // namespace

TEST_CASE("strong efficiency is one rank's time over the ranks' times their number, on the same sphere") {
  const std::vector<row> rows{
      measured("time_step", 100e-6, "1000", 1), measured("time_step", 400e-6, "4000", 1),
      measured("time_step", 62.5e-6, "1000", 2), measured("time_step", 125e-6, "4000", 4)};
  const auto found = strong_efficiency(rows);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0].value, WithinRel(80., 1e-12));
  CHECK_THAT(found[1].value, WithinRel(80., 1e-12));
  CHECK(found[0].parameter == "method=euler;dt=0.05;ranks=2");
}

TEST_CASE("a sphere, a precision or a method that one rank has not measured has no efficiency") {
  std::vector<row> rows{measured("time_step", 100e-6, "1000", 1), measured("time_step", 60e-6, "4000", 2),
                        measured("time_step", 60e-6, "1000", 2), measured("time_step", 60e-6, "1000", 2),
                        measured("time_step", 60e-6, "1000", 2)};
  rows[2].precision = "double";
  rows[3].parameter = "method=euler;dt=0.01;ranks=2";
  rows[4].status = "failed";
  CHECK(strong_efficiency(rows).empty());
}

TEST_CASE("weak efficiency compares a rank's cells in a second") {
  const std::vector<row> rows{measured("time_step", 100e-6, "1000", 1),
                              measured("time_step", 250e-6, "4000", 2),
                              measured("time_step", 110e-6, "4000", 4)};
  const auto found = weak_efficiency(rows);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0].value, WithinRel(80., 1e-12));
  CHECK_THAT(found[0].reason, ContainsSubstring("2000 of its own"));
  CHECK_THAT(found[1].value, WithinRel(100 / 1.1, 1e-12));
}

TEST_CASE("weak efficiency counts a surface's nodes by both sides") {
  const std::vector<row> rows{measured("time_step", 8e-3, "8192x4096", 1),
                              measured("time_step", 10e-3, "8192x8192", 2)};
  const auto found = weak_efficiency(rows);
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].value, WithinRel(80., 1e-12));
}

TEST_CASE("predictions say that they are none of a measurement, and need several ranks") {
  std::vector<row> rows;
  for (int ranks : {1, 2, 4})
    for (int cells : {1'000'000, 4'000'000}) {
      const double own = static_cast<double>(cells) / ranks;
      rows.push_back(
          measured("time_step", 1e-10 * own + (ranks > 1 ? 2e-6 : 0), std::to_string(cells), ranks));
      if (ranks == 1) continue;
      rows.push_back(measured("compute_time", 1e-10 * own, std::to_string(cells), ranks));
      rows.push_back(measured("exchange_time", 2e-5, std::to_string(cells), ranks));
    }
  const auto found = predictions(rows);
  REQUIRE(found.size() == 32);  // 8 ... 1024 ranks: a time, an efficiency and its two bounds each
  const auto of_64 = std::find_if(found.begin(), found.end(), [](const row& r) {
    return r.metric == "predicted_time_step" && r.parameter.ends_with(";ranks=64");
  });
  REQUIRE(of_64 != found.end());
  CHECK(of_64->size == "4000000");
  CHECK_THAT(of_64->value, WithinRel(2e-5 + 2e-6, .01));  // the exchange outlasts 62,500 cells' computation
  CHECK(of_64->q1 <= of_64->value);
  CHECK(of_64->q3 >= of_64->value);
  const auto bound = [&](std::string_view metric) {
    const auto at = std::find_if(found.begin(), found.end(), [&](const row& r) {
      return r.metric == metric && r.parameter == of_64->parameter;
    });
    REQUIRE(at != found.end());
    return at->value;
  };
  CHECK(bound("least_efficiency") <= bound("predicted_efficiency"));
  CHECK(bound("most_efficiency") >= bound("predicted_efficiency"));
  CHECK(bound("most_efficiency") <= 100);
  CHECK_THAT(of_64->reason, ContainsSubstring("a prediction, not a measurement"));

  std::erase_if(rows, [](const row& r) { return !r.parameter.ends_with(";ranks=1"); });
  CHECK(predictions(rows).empty());
}

TEST_CASE("the experiments of scale are cases on ranks, one alone first") {
  const harness::family* const f = harness::find_family("scale");
  REQUIRE(f != nullptr);
  for (const harness::experiment& e : f->experiments) {
    const auto plans = e.plan({harness::preset::smoke, {}});
    REQUIRE(!plans.empty());
    CHECK(plans.front().parameter.ends_with(";ranks=1"));
    for (const harness::case_plan& plan : plans) CHECK(plan.is_on_ranks);
    CHECK_THROWS_WITH(e.plan({harness::preset::smoke, {}, {{"subdivisions", 2.5}}}),
                      ContainsSubstring("whole number from 0 to 12"));
  }
}
