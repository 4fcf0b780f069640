// SPDX-License-Identifier: MIT
// The page of a case: its rows and samples, and nothing from a file that could become markup.
#include "reports/case_pages.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "verification/made_up_run.hpp"

namespace {

using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

sample sample_of(const row& r, int index, double value) {
  return {r.run, r.experiment, r.variant, r.device, r.precision, r.size, r.parameter, r.metric, index, value};
}

}  // namespace

TEST_CASE("rows of one case share a page that has their samples") {
  const auto time = a_row("table1", "cuda_2d", "cuda:0", "8x8", 2.5);
  auto r =
      a_run({time, with_metric(time, "gflops", "GFLOP/s"), a_row("table1", "cuda_2d", "cuda:0", "9x9", 3)});
  r.samples = {sample_of(time, 0, 2.25), sample_of(time, 1, 2.75)};
  const std::vector<run> runs{r};

  const auto all = make_case_pages(runs, {"here"});

  REQUIRE(all.pages.size() == 2);
  CHECK(all.pages[0].path == "rows/here/cases/1.html");
  CHECK(all.links.at(&runs[0].rows[0]) == all.pages[0].path);
  CHECK(all.links.at(&runs[0].rows[1]) == all.pages[0].path);
  CHECK(all.links.at(&runs[0].rows[2]) == all.pages[1].path);
  for (const char* const text : {"gflops", "NVIDIA H200", "2 samples of time_1000_sweeps", "2.25, 2.75"})
    CHECK_THAT(all.pages[0].text, ContainsSubstring(text));
  CHECK_THAT(all.pages[1].text, !ContainsSubstring("samples of"));
}

TEST_CASE("a row without a number has no page") {
  const std::vector<run> runs{a_run({without_value(a_row("table1", "a", "", "", 0), "skipped", "no GPU")})};

  const auto all = make_case_pages(runs, {"here"});

  CHECK(all.pages.empty());
  CHECK(all.links.empty());
}

TEST_CASE("text from a run is no markup on the page of a case") {
  auto r = a_row("table1", "<script>alert(1)</script>", "\"><b>", "8x8", 1);
  r.parameter = "a=<i>&";
  r.metric = "<u>";
  r.unit = "<em>";
  r.reason = "<img src=x>";
  auto from = a_run({r}, "<h1>run");
  from.samples = {sample_of(r, 0, 1), sample_of(r, 1, 2)};
  const std::vector<run> runs{from};

  const auto text = make_case_pages(runs, {"here"}).pages.at(0).text;

  for (const char* const markup : {"<script", "<b>", "<i>", "<u>", "<em>", "<img", "<h1>run"})
    CHECK_THAT(text, !ContainsSubstring(markup));
  CHECK_THAT(text, ContainsSubstring("a=&lt;i&gt;&amp;"));
}
