// SPDX-License-Identifier: MIT
// Tests what a report says has changed since earlier runs.
#include "reports/page/changes.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/page/report.hpp"
#include "verification/tests/support/made_up_folder.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

constexpr auto cuda_wins =
    "cuda_wins,1,T1,CUDA wins,conclusion,{cuda_2d@8x8}/{cpu_interleaved@8x8},,1,wins,,no longer,,r\n";

row timed(const std::string& variant, const std::string& device, double seconds, double spread = .01) {
  row r = a_row("table1", variant, device, "8x8", seconds);
  r.q1 = seconds * (1 - spread);
  r.q3 = seconds * (1 + spread);
  return r;
}

run before() {
  return a_run({timed("cuda_2d", "cuda:0", 1), timed("cpu_interleaved", "cpu", 2),
                with_metric(timed("cuda_2d", "cuda:0", 1), "time_1_sweep_cold", "s"),
                with_metric(a_row("table1", "cuda_2d", "cuda:0", "8x8", 5), "gflops", "GFLOP/s")},
               "before");
}

report_request request_for(const temporary_folder& folder, const run& now) {
  auto request = request_below(folder.path(), cuda_wins, "");
  request.families = {{"jacobi", "A paper", {table1()}}};
  request.runs = {now};
  request.against = {before()};
  return request;
}

changes changes_of(const run& now) {
  const temporary_folder folder;
  return write_report(request_for(folder, now)).value();
}

}  // namespace

TEST_CASE("the same numbers again are no change") {
  auto now = before();
  now.rows[0].value *= 1.005;  // within the quartiles
  now.rows[3].value = 50;      // follows from others
  const auto c = changes_of(now);
  CHECK(c.against == std::vector<std::string>{"before"});
  CHECK(c.compared == 3);
  CHECK(c.numbers.empty());
  CHECK(c.verdicts.empty());
}

TEST_CASE("a verdict that changed and numbers beyond their intervals are listed, the largest first") {
  auto now = before();
  now.rows[0] = timed("cuda_2d", "cuda:0", 3);
  now.rows[1] = timed("cpu_interleaved", "cpu", 2.2);
  const auto c = changes_of(now);

  REQUIRE(c.numbers.size() == 2);
  CHECK(c.numbers[0].of.variant == "jacobi/cuda_2d");
  CHECK(c.numbers[0].of.device == "NVIDIA H200");
  CHECK(c.numbers[0].before == 1);
  CHECK(c.numbers[0].after == 3);
  REQUIRE(c.verdicts.size() == 1);
  CHECK(c.verdicts[0].before == verdict::holds);
  CHECK(c.verdicts[0].after == verdict::no_longer);
  CHECK_THAT(to_text(c), ContainsSubstring("jacobi/cuda_wins: holds -> no longer\n"));
  CHECK_THAT(to_text(c), ContainsSubstring("2 of 3 numbers"));
}

TEST_CASE("an answer that became wrong comes first") {
  auto now = before();
  now.rows[1] = timed("cpu_interleaved", "cpu", 4);
  now.rows[0] = without_value(now.rows[0], "failed", "max error 3");
  const auto c = changes_of(now);
  REQUIRE(c.numbers.size() == 2);
  CHECK(c.numbers[0].status_after == "failed");
  CHECK(to_json(c)["numbers"][0]["after"] == "failed");
}

TEST_CASE("a report has its changes as data, and none without earlier runs") {
  const temporary_folder folder;
  auto now = before();
  now.rows[0] = timed("cuda_2d", "cuda:0", 3);
  auto request = request_for(folder, now);
  write_report(request);
  CHECK(nlohmann::json::parse(text_in(request.out / "report.json"))["changes"]["verdicts"].size() == 1);
  CHECK_THAT(text_in(request.out / "changes.csv"), ContainsSubstring("verdict,jacobi/cuda_wins"));

  request.against.clear();
  CHECK_FALSE(write_report(request).has_value());
  CHECK_FALSE(nlohmann::json::parse(text_in(request.out / "report.json")).contains("changes"));
  CHECK_FALSE(std::filesystem::exists(request.out / "changes.csv"));
}

TEST_CASE("an answer that became wrong is named first, and is no number that moved") {
  auto now = before();
  (*now.description)["name"] = "after";
  now.rows[1].status = "failed";
  now.rows[1].value = no_value;
  const auto c = changes_of(now);
  CHECK(c.newly_failed() == 1);
  const auto text = to_text(c);
  CHECK(text.starts_with("newly wrong: jacobi/table1"));
  CHECK_THAT(text, ContainsSubstring("1 cases newly wrong") && ContainsSubstring("0 of 3 numbers moved"));
}

TEST_CASE("runs without a common case, and a run against itself, are told") {
  auto now = before();
  (*now.description)["name"] = "after";
  for (auto& r : now.rows) r.size = "16x8";
  CHECK_THAT(to_text(changes_of(now)), ContainsSubstring("no case in common with before"));
  CHECK_THAT(to_text(changes_of(before())), ContainsSubstring("before is on both sides"));
}
