// SPDX-License-Identifier: MIT
// Tests that reports rest on rows that the present rules derive.
#include "benchmarks/harness/rederive.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

row time_of(const std::string& variant, double seconds) {
  row r = a_row("table3", variant, "cpu", "512x1024", seconds);
  r.samples = 5;
  return r;
}

row speedup_of(const std::string& variant, double value) {
  row r = with_metric(time_of(variant, value), "speedup_over_cpu", "1");
  r.samples = 0;
  return r;
}

}  // namespace

TEST_CASE("derived rows are made again from measured ones") {
  auto r = a_run({time_of("cpu_interleaved", 12), time_of("openmp", 3), speedup_of("openmp", 100)});

  CHECK(harness::rederive(r).empty());

  CHECK(row_of(r.rows, "speedup_over_cpu").value == 4);
  CHECK(r.rows.size() == 3);
}

TEST_CASE("rows of a metric whose definition changed are no evidence, and those of the present one are") {
  row distance = with_metric(time_of("openmp", 3), "curve_error", "mV or ms");
  distance.experiment = "atrium/table4";
  distance.variant = "atrium/openmp";
  row other = with_metric(distance, "labs_error", "mV or ms");
  auto old = a_run({distance, other});
  auto present = a_run({distance, other});
  (*present.description)["metric_versions"] = harness::metric_versions();

  const auto lines = harness::rederive(old);

  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines.front(),
             ContainsSubstring("1 rows of atrium/table4") && ContainsSubstring("reprise run atrium/table4"));
  CHECK(row_of(old.rows, "curve_error").status == "skipped");
  CHECK(row_of(old.rows, "labs_error").status == "ok");
  CHECK(harness::rederive(present).empty());
  CHECK(row_of(present.rows, "curve_error").status == "ok");
}

TEST_CASE("a metric whose definition changed in one experiment stays evidence in the others") {
  row of_kernel = with_metric(time_of("openmp", 3), "share_of_copy_roof", "%");
  of_kernel.experiment = "angiogenesis/table3";
  of_kernel.variant = "angiogenesis/cuda_elimination";
  row of_solve = of_kernel;
  of_solve.experiment = "angiogenesis/table2";
  auto old = a_run({of_kernel, of_solve});
  auto present = a_run({of_kernel, of_solve});
  (*present.description)["metric_versions"] = harness::metric_versions();

  const auto lines = harness::rederive(old);

  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines.front(), ContainsSubstring("1 rows of angiogenesis/table3"));
  CHECK(row_of(old.rows, "share_of_copy_roof").status == "skipped");
  CHECK(old.rows.back().status == "ok");
  CHECK(harness::rederive(present).empty());
}

TEST_CASE("a derived row that the present rule does not give is no evidence and says how to renew it") {
  auto r = a_run({time_of("openmp", 3), speedup_of("openmp", 100)});
  (*r.description)["request"] = {{"preset", "paper"}};

  const auto lines = harness::rederive(r);

  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines.front(), ContainsSubstring("1 derived rows of jacobi/table3"));
  CHECK_THAT(lines.front(), ContainsSubstring("reprise run jacobi/table3 --preset paper"));
  CHECK(row_of(r.rows, "speedup_over_cpu").status == "skipped");
  CHECK(row_of(r.rows, "time_1000_sweeps").status == "ok");
}

TEST_CASE(
    "a derived row whose measured time counts as disturbed today is disturbed, and nothing needs a renewal") {
  row disturbed = time_of("openmp", 3);
  disturbed.status = "disturbed";
  auto r = a_run({time_of("cpu_interleaved", 12), disturbed, speedup_of("openmp", 4)});

  CHECK(harness::rederive(r).empty());

  CHECK(row_of(r.rows, "speedup_over_cpu").status == "disturbed");
  CHECK(row_of(r.rows, "speedup_over_cpu").reason == "disturbed: derived from a disturbed time");
}
