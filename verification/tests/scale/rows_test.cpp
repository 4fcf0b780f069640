// SPDX-License-Identifier: MIT
// Tests efficiencies and predictions on generated rows of several ranks.
#include "benchmarks/scale/rows.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "verification/tests/support/measured_rows.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness::scale;
using reports::row;
using testing::only_row;

namespace {

row measured(double value, const std::string& cells, int ranks, const std::string& metric = "time_step") {
  row r = testing::measured_row("atrium/cuda_multi", cells,
                                "method=euler;dt=0.05;ranks=" + std::to_string(ranks), metric, value);
  r.run = "made up";
  r.experiment = "scale/strong";
  r.device = "cuda:0";
  r.precision = "single";
  r.unit = "s";
  r.samples = 1;
  return r;
}

}  // namespace

TEST_CASE("strong efficiency is one rank's time over the ranks' times their number, on the same sphere") {
  const std::vector<row> rows{measured(100e-6, "1000", 1), measured(400e-6, "4000", 1),
                              measured(62.5e-6, "1000", 2), measured(125e-6, "4000", 4)};
  const auto found = strong_efficiency(rows);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0].value, WithinRel(80., 1e-12));
  CHECK_THAT(found[1].value, WithinRel(80., 1e-12));
  CHECK(found[0].parameter == "method=euler;dt=0.05;ranks=2");
}

TEST_CASE("a sphere, a precision or a method that one rank has not measured has no efficiency") {
  std::vector<row> rows{measured(100e-6, "1000", 1), measured(60e-6, "4000", 2), measured(60e-6, "1000", 2),
                        measured(60e-6, "1000", 2), measured(60e-6, "1000", 2)};
  rows[2].precision = "double";
  rows[3].parameter = "method=euler;dt=0.01;ranks=2";
  rows[4].status = "failed";
  CHECK(strong_efficiency(rows).empty());
}

TEST_CASE("weak efficiency compares a rank's cells in a second, or its nodes on both sides of a surface") {
  const std::vector<row> rows{measured(100e-6, "1000", 1), measured(250e-6, "4000", 2),
                              measured(110e-6, "4000", 4)};
  const auto found = weak_efficiency(rows);
  REQUIRE(found.size() == 2);
  CHECK_THAT(found[0].value, WithinRel(80., 1e-12));
  CHECK_THAT(found[0].reason, ContainsSubstring("2000 of its own"));
  CHECK_THAT(found[1].value, WithinRel(100 / 1.1, 1e-12));

  const auto surfaces =
      weak_efficiency(std::vector{measured(8e-3, "8192x4096", 1), measured(10e-3, "8192x8192", 2)});
  REQUIRE(surfaces.size() == 1);
  CHECK_THAT(surfaces[0].value, WithinRel(80., 1e-12));
}

TEST_CASE("predictions say that they are none of a measurement, and need several ranks") {
  std::vector<row> rows;
  for (int ranks : {1, 2, 4})
    for (int cells : {1'000'000, 4'000'000}) {
      const double own = static_cast<double>(cells) / ranks;
      rows.push_back(measured(1e-10 * own + (ranks > 1 ? 2e-6 : 0), std::to_string(cells), ranks));
      if (ranks == 1) continue;
      rows.push_back(measured(1e-10 * own, std::to_string(cells), ranks, "compute_time"));
      rows.push_back(measured(2e-5, std::to_string(cells), ranks, "exchange_time"));
    }
  const auto found = predictions(rows);
  REQUIRE(found.size() == 32);  // 8 ... 1024 ranks: a time, an efficiency and its two bounds each
  const row& of_64 = only_row(found, [](const row& r) {
    return r.metric == "predicted_time_step" && r.parameter.ends_with(";ranks=64");
  });
  CHECK(of_64.size == "4000000");
  CHECK_THAT(of_64.value, WithinRel(2e-5 + 2e-6, .01));  // the exchange outlasts 62,500 cells' computation
  CHECK(of_64.q1 <= of_64.value);
  CHECK(of_64.q3 >= of_64.value);
  const auto bound = [&](const char* metric) {
    return testing::row_of(found, metric, of_64.parameter).value;
  };
  CHECK(bound("least_efficiency") <= bound("predicted_efficiency"));
  CHECK(bound("most_efficiency") >= bound("predicted_efficiency"));
  CHECK(bound("most_efficiency") <= 100);
  CHECK_THAT(of_64.reason, ContainsSubstring("a prediction, not a measurement"));

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
