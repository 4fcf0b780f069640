// SPDX-License-Identifier: MIT
// Tests that reports rest on rows that the present rules derive.
#include "benchmarks/harness/rederive.hpp"

#include <fmt/format.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <vector>

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
  CHECK_THAT(row_of(r.rows, "speedup_over_cpu").reason.str(),
             ContainsSubstring("disturbed: derived from a disturbed time"));
}

TEST_CASE(
    "what a series gives without its disturbed end is disturbed, and what the end does not change is sound") {
  const auto at = [](double step, double seconds, double error) {
    row time = time_of("openmp", seconds);
    time.experiment = "tissue/equal_error";
    time.variant = "tissue/openmp";
    time.size = "256x256";
    time.parameter = fmt::format("model=karma;method=heun;dt={}", step);
    time.metric = "time_solve";
    row distance = time;
    distance.metric = "error_u";
    distance.unit = "1";
    distance.value = error;
    return std::vector<row>{time, distance};
  };
  std::vector<row> rows;
  for (const auto& both : {at(.4, 1, 5e-2), at(.2, 2, 1e-3), at(.1, 4, 1e-5), at(.05, 8, 1e-8)})
    rows.insert(rows.end(), both.begin(), both.end());
  auto quiet = a_run(rows);
  rows.front().status = "disturbed";
  auto disturbed = a_run(rows);

  CHECK(harness::rederive(quiet).empty());
  CHECK(harness::rederive(disturbed).empty());

  CHECK(row_of(quiet.rows, "time_at_1e-2").status == "ok");
  CHECK(row_of(disturbed.rows, "time_at_1e-2").status == "disturbed");
  CHECK(row_of(disturbed.rows, "time_at_1e-7").status == "ok");
  CHECK(row_of(disturbed.rows, "time_at_1e-7").value == row_of(quiet.rows, "time_at_1e-7").value);
}

TEST_CASE(
    "an exponent over the grids is derived, whatever its reason says, and disturbed with one of its times") {
  std::vector<row> rows;
  for (const int m : {100, 200, 400}) {
    row time = time_of("cpu_elimination", 1e-6 * std::pow(m, 3));
    time.experiment = "angiogenesis/fig2";
    time.variant = "angiogenesis/cpu_elimination";
    time.size = fmt::format("{}x1", m);
    time.parameter = "factor=every_solve";
    time.metric = "time_solve";
    rows.push_back(time);
  }
  row exponent = with_metric(rows.back(), "time_exponent", "1");
  exponent.value = 7;
  exponent.samples = 3;
  exponent.reason = "M from 100 to 400, 3 points";
  rows.push_back(exponent);
  auto r = a_run(rows);
  CHECK(harness::rederive(r).empty());
  CHECK(std::abs(row_of(r.rows, "time_exponent").value - 3) < 1e-9);

  rows[2].status = "disturbed";
  auto of_disturbed = a_run(rows);
  CHECK(harness::rederive(of_disturbed).empty());
  for (const row& one : of_disturbed.rows)
    if (one.metric == "time_exponent" && one.size == "400x1") CHECK(one.status == "disturbed");
}
