// SPDX-License-Identifier: MIT
// Tests what stands beside a printed number: of which run it is, of which roof it is a share, and what a reader is told of it.
#include "reports/page/measured_cell.hpp"

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "reports/page/case_links.hpp"
#include "reports/page/printed_tables.hpp"
#include "reports/page/reserves.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;

constexpr auto time_and_speedup = R"({"tables": [{
  "id": "jacobi/table1", "title": "Table 1", "caption": "times", "stub": ["code"],
  "common": {"device": "PH 280", "precision": "single", "metric": "time_1000_sweeps", "unit": "s"},
  "columns": [{"label": "508", "size": "508x1024"}], "rows": [{"label": "2D", "variant": "cuda_2d"}]}]})";

constexpr auto shares = R"({"tables": [{
  "id": "jacobi/table5", "title": "Table 5", "caption": "shares", "stub": ["board"],
  "common": {"size": "1024x1024", "precision": "single"},
  "columns": [
    {"label": "Peak", "variant": "", "metric": "peak", "unit": "GB/s", "measured": {"experiment": "harness/roofs",
      "variant": "roofs", "size": "", "metric": "copy_roof", "device": "cuda"}},
    {"label": "CUDA", "variant": "cuda_2d", "metric": "share", "unit": "%", "measured": {"metric": "rate", "in": "GiB/s",
      "over": {"experiment": "harness/roofs", "variant": "roofs", "size": "", "metric": "copy_roof"}}},
    {"label": "OpenGL", "variant": "opengl_rgba", "metric": "share", "unit": "%", "measured": {"metric": "rate",
      "over": {"experiment": "harness/roofs", "variant": "roofs", "size": "", "metric": "copy_roof"}}}],
  "rows": [{"label": "PH 280", "device": "PH 280"}]}]})";

run sealed(run r) {
  (*r.description)["finished"] = "2026-01-01T00:00:00Z";
  r.is_sealed = true;
  return r;
}

std::vector<printed_table> tables_of(const std::string& layout, const printed_rows& paper,
                                     const std::vector<run>& runs) {
  const temporary_folder folder;
  put(folder / "layout.json", layout);
  return make_printed_tables(read_printed_layouts(folder / "layout.json"), paper, shown_rows({}, runs), runs,
                             {});
}

row several(row r) {
  r.samples = 9;
  return r;
}

row roof(const std::string& device, double value) {
  auto r = with_metric(a_row("x", "x", device, "", value), "copy_roof", "GB/s");
  r.experiment = r.variant = "harness/roofs";
  return r;
}

row rate(const std::string& variant, const std::string& device, double value) {
  return with_metric(a_row("table5", variant, device, "1024x1024", value), "rate", "GB/s");
}

printed_rows printed_shares() {
  const auto cell = [](const std::string& variant, const std::string& metric, const std::string& unit,
                       double value) {
    return published(with_metric(a_row("table5", variant, "PH 280", "1024x1024", value), metric, unit));
  };
  auto peak = cell("", "peak", "GB/s", 141.7);
  peak.variant = "";
  return {{peak, cell("cuda_2d", "share", "%", 50), cell("opengl_rgba", "share", "%", 60)}, {.05, .5, .5}};
}

run with_opengl(run r) {
  (*r.description)["devices"].push_back({{"id", "opengl:0"}, {"name", "NVIDIA H200/PCIe"}});
  return r;
}

const printed_rows one_time{{published(a_row("table1", "cuda_2d", "PH 280", "508x1024", 0.42))}, {.005}};

TEST_CASE("a share stands beside the roof of its own run and device, in one unit") {
  // The first run has no rates: its roof is another machine's.
  const std::vector<run> runs{
      sealed(a_run({roof("cuda:0", 9999)}, "first")),
      sealed(with_opengl(a_run({roof("cuda:0", 4000), roof("opengl:0", 100), rate("cuda_2d", "cuda:0", 2000),
                                rate("opengl_rgba", "opengl:0", 50)},
                               "second")))};
  const auto tables = tables_of(shares, printed_shares(), runs);
  REQUIRE(tables[0].views.size() == 1);
  const auto& line = tables[0].cells[0];
  CHECK(line[0]->numbers[0].value == 4000);
  CHECK(line[1]->numbers[0].value > 53.6);  // 2000 GiB/s are 2147 GB/s
  CHECK(line[1]->numbers[0].value < 53.7);
  CHECK(line[1]->numbers[0].beside_text.empty());
  CHECK(line[2]->numbers[0].value == 50);
  CHECK(line[2]->numbers[0].beside_text == "of 100 GB/s");
  CHECK(tables[0].sources == std::vector<std::string>{"second"});
}

TEST_CASE("a rate whose run did not measure the roof is no share") {
  const std::vector<run> runs{sealed(a_run({roof("cuda:0", 4000)}, "roofs")),
                              sealed(a_run({rate("cuda_2d", "cuda:0", 2000)}, "rates"))};
  const auto tables = tables_of(shares, printed_shares(), runs);
  const auto& share = tables[0].cells[0][1]->numbers[0];
  CHECK(share.from == nullptr);
  CHECK(share.reason == "the run that measured the rate did not measure this roof of the device");
}

TEST_CASE("a sealed run comes before an unfinished one, and a table names its runs") {
  const auto of = [](double seconds) {
    return std::vector{several(a_row("table1", "cuda_2d", "cuda:0", "508x1024", seconds))};
  };
  const std::vector<run> runs{a_run(of(0.1), "unfinished"), sealed(a_run(of(0.105), "sealed"))};
  const auto tables = tables_of(time_and_speedup, one_time, runs);
  CHECK(tables[0].cells[0][0]->numbers[0].value == 0.105);
  CHECK(tables[0].cells[0][0]->numbers[0].notes.empty());
  CHECK(tables[0].sources == std::vector<std::string>{"sealed"});

  const std::vector<run> alone{a_run(of(0.1), "unfinished")};
  const auto marked = tables_of(time_and_speedup, one_time, alone);
  CHECK(marked[0].cells[0][0]->numbers[0].notes ==
        std::vector<std::string>{"run unfinished: unfinished: it has no end, so cases may be missing"});
  CHECK(marked[0].sources == std::vector<std::string>{"unfinished (unfinished)"});
}

TEST_CASE("a number says where other runs of its case disagree") {
  const auto of = [](double seconds) {
    return std::vector{several(a_row("table1", "cuda_2d", "cuda:0", "508x1024", seconds))};
  };
  const auto agreed =
      tables_of(time_and_speedup, one_time, {sealed(a_run(of(1), "a")), sealed(a_run(of(1.1), "b"))});
  CHECK(agreed[0].cells[0][0]->numbers[0].runs_text.empty());
  const auto apart =
      tables_of(time_and_speedup, one_time, {sealed(a_run(of(1), "a")), sealed(a_run(of(2), "b"))});
  CHECK(apart[0].cells[0][0]->numbers[0].runs_text == "1.00 to 2.00");
}

TEST_CASE("a time of one sample and a number of another case than in print are marked") {
  auto layout = std::string(time_and_speedup);
  layout.replace(layout.find("\"508x1024\""), 10, R"("508x1024", "measured": {"size": "508x1024|512x1024"})");
  auto once = a_row("table1", "cuda_2d", "cuda:0", "512x1024", 1);
  once.samples = 1;
  const auto tables = tables_of(layout, one_time, {sealed(a_run({once}, "a"))});
  CHECK(notes_of(tables[0]) ==
        std::vector<std::string>{"512x1024 in place of 508x1024",
                                 "a time of one sample, which may be off by a factor of two either way"});
}

TEST_CASE("an excess below zero is told as slowness, and a part of one is one of many") {
  auto layout = std::string(time_and_speedup);
  layout.replace(layout.find("\"unit\": \"s\""), 11,
                 R"("unit": "%", "measured": {"over": {"variant": "cpu"}, "excess": true})");
  const printed_rows percent{{published(with_metric(one_time.rows[0], "time_1000_sweeps", "%"))}, {.5}};
  const std::vector<run> runs{sealed(a_run({several(a_row("table1", "cuda_2d", "cuda:0", "508x1024", 1)),
                                            several(a_row("table1", "cpu", "cpu", "508x1024", 4))}))};
  const auto slower = tables_of(layout, percent, runs);
  CHECK(slower[0].cells[0][0]->numbers[0].text == "4.00 times as slow");
  CHECK(slower[0].cells[0][0]->numbers[0].ratio_text.empty());
  CHECK(slower[0].cells[0][0]->numbers[0].beside_text == "over 4 s");

  layout = time_and_speedup;
  layout.replace(layout.find("\"unit\": \"s\""), 11, R"("unit": "s", "fraction": "launch for {} steps")");
  const auto launches = tables_of(
      layout, one_time, {sealed(a_run({several(a_row("table1", "cuda_2d", "cuda:0", "508x1024", 5e-5))}))});
  CHECK(launches[0].cells[0][0]->numbers[0].text == "1 launch for 20000 steps");
}

TEST_CASE("a claim on another size than in print is made with reserve, and so is one on an unfinished run") {
  auto small = several(a_row("table1", "cuda_2d", "cuda:0", "8x8", 1));
  const std::vector<run> runs{sealed(a_run({small}, "small")),
                              a_run({several(a_row("table1", "cuda_2d", "cuda:0", "508x1024", 1))}, "open")};
  const reserves known(runs, one_time.rows);
  const std::vector<const row*> of_small{runs[0].rows.data()}, of_open{runs[1].rows.data()},
      of_print{one_time.rows.data()};
  CHECK(known.about(of_small) == std::vector<std::string>{"measured at 8x8, where the paper has 508x1024"});
  CHECK(known.about(of_open) ==
        std::vector<std::string>{"run open: unfinished: it has no end, so cases may be missing"});
  CHECK(known.about(of_print).empty());
}

TEST_CASE("a number leads to a case that has this number") {
  auto measured = a_row("table1", "cuda_2d", "cuda:0", "508x1024", 2);
  auto repeated = a_row("table3", "cuda_2d", "cuda:0", "508x1024", 2);
  auto derived = with_metric(repeated, "speedup_over_cpu", "1");
  run r = a_run({measured, repeated, derived});
  r.samples.push_back({number_id(measured), "here", 0, 2});
  const std::vector<run> runs{r};
  const auto links = link_cases(runs, {"here"});
  CHECK(links.at(&runs[0].rows[0]) == "rows/here/cases/jacobi_table1.html#case-1");
  CHECK(links.at(&runs[0].rows[1]) == "rows/here/cases/jacobi_table1.html#case-1");
  CHECK(links.at(&runs[0].rows[2]) ==
        "rows/here/cases/jacobi_table3.html#case-2");  // the first case lacks it
}

}  // namespace
