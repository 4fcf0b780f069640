// SPDX-License-Identifier: MIT
// Tests the page of limits: which cases it has, and that least times and shares follow from counts and roofs.
#include "reports/page/limits.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "reports/store/files.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;

const std::vector<main_case> cases{{"jacobi", "sweeps", "single", "8x8", "", {"time_1000_sweeps"}},
                                   {"tissue", "steps", "double", "8x8", "", {"time_1000_steps"}}};

struct numbers {
  double seconds, bandwidth, gflops;  // s, GB/s, GFLOP/s
};

row share(row of, const std::string& metric, double percent, const std::string& reason) {
  of.metric = metric;
  of.value = percent;
  of.unit = "%";
  of.reason = reason;
  return of;
}

// A case on the board with its rates and the roof that binds.
std::vector<row> a_case(const std::string& variant, const std::string& size, const numbers& n, double percent,
                        const std::string& binding) {
  const auto time = a_row("table1", variant, "cuda:0", size, n.seconds);
  auto bandwidth = with_metric(time, "bandwidth_compulsory", "GB/s");
  bandwidth.value = n.bandwidth;
  auto gflops = with_metric(time, "gflops", "GFLOP/s");
  gflops.value = n.gflops;
  return {time, bandwidth, gflops, share(time, "share_of_binding_roof", percent, binding)};
}

nlohmann::json roof(const char* name, double value, const char* unit) {
  return {{"device", "cuda:0"}, {"roof", name}, {"precision", "single"}, {"value", value}, {"unit", unit}};
}

run run_with(const std::vector<std::vector<row>>& of_cases) {
  std::vector<row> rows;
  for (const auto& one : of_cases) rows.insert(rows.end(), one.begin(), one.end());
  auto r = a_run(rows);
  (*r.description)["roofs"] = {roof("copy_roof", 4000, "GB/s"), roof("read_roof", 4300, "GB/s"),
                               roof("flops_roof", 60000, "GFLOP/s"), roof("launch_roof", 2.6543, "us"),
                               roof("shared_roof", 31234, "GB/s")};
  return r;
}

// The lines of jacobi. Rows and names stay alive for as long as the test.
struct found_limits {
  explicit found_limits(run one) : runs{std::move(one)}, rows(shown_rows({}, runs)) {
    all = limits_of(cases, rows, runs);
  }
  const std::vector<limit_line>& lines() const { return all.front().lines; }

  std::vector<run> runs;
  std::vector<shown_row> rows;
  std::vector<paper_limits> all;
};

const std::string at_memory = "memory, 4300.0 GB/s; multiply-adds 3 %";

}  // namespace

TEST_CASE("the page of limits has the fastest case at the smallest, middle and largest size of each board") {
  auto slow = a_case("slow", "64x64", {3, 430, 100}, 10, at_memory);
  std::vector<std::vector<row>> some{slow};
  for (const char* size : {"1024x1024", "16x16", "32x32", "64x64"})
    some.push_back(a_case("fast", size, {2, 860, 100}, 20, at_memory));
  const found_limits found(run_with(some));
  REQUIRE(found.lines().size() == 3);
  CHECK(found.lines()[0].time->data->size == "16x16");
  CHECK(found.lines()[1].time->data->size ==
        "64x64");  // 128x128 is halfway, and 64x64 nearer to it than 32x32
  CHECK(found.lines()[2].time->data->size == "1024x1024");
  for (const auto& line : found.lines()) {
    CHECK(line.time->data->variant == "jacobi/fast");
    CHECK(line.board == "NVIDIA H200");
  }
}

TEST_CASE(
    "the least time is what the counts take at the roof that binds, and the share is that over the time") {
  auto by_launches = a_case("b", "16x16", {.01, 10, 5}, 26.543, "launches, 2.65 us each; memory 1 %");
  auto counted = with_metric(by_launches.front(), "counted_launches", "1");
  counted.value = 1000;
  by_launches.push_back(counted);
  const found_limits found(
      run_with({a_case("a", "8x8", {2, 2150, 100}, 50, at_memory), by_launches,
                a_case("c", "32x32", {4, 1, 15000}, 25, "multiply-adds, 60 TFLOP/s; functions 2 %")}));
  REQUIRE(found.lines().size() == 3);
  const auto& memory = found.lines()[0];
  CHECK(memory.roof == "memory");
  CHECK(memory.bytes == Approx(2 * 2150e9));
  CHECK(memory.least_seconds == Approx(memory.bytes / 4300e9));
  const auto& launches = found.lines()[1];
  CHECK(launches.roof == "launches");
  CHECK(launches.other.value == 1000);
  CHECK(launches.reached.value == 2.6543);  // all digits, from run.json
  CHECK(launches.least_seconds == Approx(1000 * 2.6543e-6));
  const auto& flops = found.lines()[2];
  CHECK(flops.roof == "multiply-adds");
  CHECK(flops.operations == Approx(4 * 15000e9));
  CHECK(flops.least_seconds == Approx(flops.operations / 60e12));
  for (const auto& line : found.lines()) {
    CHECK(line.percent == Approx(100 * line.least_seconds / line.time->data->value));
    CHECK(line.percent <= 100);
  }
}

TEST_CASE("the count of a run without rows of counts follows from its share and roof") {
  const found_limits found(
      run_with({a_case("a", "8x8", {.01, 10, 5}, 26.543, "launches, 2.65 us each; memory 1 %")}));
  CHECK(found.lines().at(0).other.value == 1000);
  CHECK(found.lines().at(0).other.unit == "launches");
}

TEST_CASE("memory that is faster than copying and reading outside the caches is called caches") {
  const found_limits found(run_with({a_case("a", "8x8", {1, 4500, 1}, 50, "memory, 9000.0 GB/s")}));
  CHECK(found.lines().at(0).roof == "caches");
}

TEST_CASE("a run from before all roofs were measured names the nearer one of two") {
  auto old = a_case("a", "8x8", {1, 1000, 30000}, 0, "");
  old.back() =
      share(old.front(), "share_of_copy_roof", 25, "of 4000.0 GB/s copied at this footprint in this run");
  old.push_back(
      share(old.front(), "share_of_flops_roof", 50, "of 60000.0 GFLOP/s in multiply-adds in this run"));
  const found_limits found(run_with({old}));
  CHECK(found.lines().at(0).roof == "multiply-adds (of two)");
  CHECK(found.lines().at(0).reached.value == 60000);
  CHECK(found.lines().at(0).least_seconds == Approx(.5));
}

TEST_CASE("disturbed cases have no line on the page of limits") {
  auto disturbed = a_case("fast", "8x8", {1, 2150, 1}, 50, at_memory);
  for (auto& r : disturbed) r.status = "disturbed";
  const found_limits found(run_with({disturbed, a_case("slow", "8x8", {2, 1075, 1}, 25, at_memory)}));
  REQUIRE(found.lines().size() == 1);
  CHECK(found.lines()[0].time->data->variant == "jacobi/slow");
}

TEST_CASE("a share above 100 % is never printed as one") {
  auto copied = a_case("a", "8x8", {1, 4960, 1}, 0, "");
  copied.back() = share(copied.front(), "share_of_copy_roof", 124, "of 4000.0 GB/s copied");
  const found_limits found(run_with({copied, a_case("a", "16x16", {1, 4730, 1}, 110, at_memory)}));
  REQUIRE(found.lines().size() == 2);
  CHECK(found.lines()[0].roof == "none on this machine: 124 % of copying was reached");
  CHECK_THAT(found.lines()[1].roof, StartsWith("error: 110 % of a roof"));
  for (const auto& line : found.lines()) {
    CHECK(std::isnan(line.percent));
    CHECK(std::isnan(line.least_seconds));
  }
  for (const auto& cells : table_of(found.all.front()).lines) CHECK(to_text(cells.back()) == no_number);
}

TEST_CASE("a share that was skipped says why there is none on this machine") {
  auto skipped = a_case("a", "8x8", {1, 1000, 1}, 0, "");
  skipped.back() = without_value(skipped.back(), "skipped", "faster than a roof that was disturbed: steal");
  const found_limits found(run_with({skipped}));
  CHECK(found.lines().at(0).roof == "none on this machine: faster than a roof that was disturbed: steal");
}

TEST_CASE("a paper that was not run says so in one line of the files") {
  const found_limits found(run_with({a_case("a", "8x8", {2, 2150, 100}, 50, at_memory)}));
  CHECK(found.all[1].lines.empty());
  const auto text = to_markdown(table_of(found.all));
  CHECK_THAT(text, ContainsSubstring("| tissue | 1000 steps in double precision | not run here |"));
  CHECK_THAT(to_csv(table_of(found.all)),
             ContainsSubstring("jacobi,1000 sweeps in single precision,NVIDIA H200,8x8,a,"));
}

TEST_CASE("a report has the page of limits where it has the papers' main cases") {
  const temporary_folder folder;
  auto request = request_below(folder.path(), "", "");
  request.layouts_dir = folder.path();
  put(folder / "variants.csv", "id,name\n");
  put(folder / "papers.csv", "id,name,about,cited\n");
  put(folder / "main_cases.csv",
      "id,title,precision,size,parameter,metrics\njacobi,sweeps,single,8x8,,time_1000_sweeps\n"
      "tissue,steps,double,8x8,,time_1000_steps\n");
  request.runs = {run_with({a_case("cuda_2d", "8x8", {2, 2150, 100}, 50, at_memory)})};
  write_report(request);
  CHECK_THAT(read_text(request.out / "limits.csv"), ContainsSubstring("jacobi"));
  CHECK_THAT(read_text(request.out / "limits.md"), ContainsSubstring("| memory | 4300 GB/s |"));
  const auto written = nlohmann::json::parse(read_text(request.out / "report.json"));
  CHECK(written["limits"].size() == 1);  // the request has no tissue
}
