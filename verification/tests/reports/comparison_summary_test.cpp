// SPDX-License-Identifier: MIT
// Tests the summary of a comparison, the boards and main cases that it reads, and times by year.
#include "reports/compare/summary.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "reports/compare/years.hpp"
#include "reports/text/table.hpp"
#include "reports/text/wrapped.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_folder.hpp"
#include "verification/tests/support/made_up_run.hpp"
#include "verification/tests/support/source_dir.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

const main_case sweeps{"jacobi", "sweeps of 8x8", "single", "8x8", "", {"time_1000_sweeps"}};

// A machine with one board on which two variants solve two sizes.
compared machine(const std::string& name, const std::string& board, double seconds) {
  auto r = a_run({a_row("table1", "cuda_2d", "cuda:0", "8x8", seconds),
                  a_row("table1", "cuda_slow", "cuda:0", "8x8", 3 * seconds),
                  a_row("table1", "cuda_2d", "cuda:0", "16x8", 5 * seconds * seconds),
                  a_row("table3", "cuda_2d", "cuda:0", "8x8", seconds),
                  with_metric(a_row("table1", "cuda_2d", "cuda:0", "8x8", 7), "time_part", "s")},
                 name);
  (*r.description)["devices"] = {{{"id", "cuda:0"}, {"name", board}}};
  return {name, false, {r}};
}

device_comparison compared_devices(const std::vector<compared>& all) {
  device_comparison c;
  c.columns = columns_of(all);
  c.times = {compare_times(all, c.columns, sweeps, {}, "*", false)};
  return c;
}

std::vector<paper_summary> summary_of(const device_comparison& c) {
  return summarise(c.times, c.columns, c.claims, std::vector{sweeps});
}

}  // namespace

TEST_CASE("a summary has the best variant of each device and the mean ratio over all common cases") {
  auto fast = machine("a", "H200", 1);
  fast.runs.front().rows.push_back(
      with_metric(a_row("table1", "cuda_2d", "cuda:0", "8x8", 40), "share_of_copy_roof", "%"));
  fast.runs.front().rows.push_back(
      with_metric(a_row("table1", "cuda_2d", "cuda:0", "8x8", 4), "energy_1000_sweeps", "J"));
  auto c = compared_devices({machine("b", "GTX 280", 2), fast});
  c.claims = {{"jacobi", "texture_wins", "t", {verdict::holds, verdict::no_longer}},
              {"jacobi", "both", "t", {verdict::holds, verdict::holds}},
              {"jacobi", "one", "t", {verdict::undecided, verdict::holds}}};

  const auto papers = summary_of(c);

  REQUIRE(papers.size() == 1);
  REQUIRE(papers[0].best.size() == 2);
  CHECK(papers[0].best[1].variant == "jacobi/cuda_2d");
  CHECK(papers[0].best[1].cell.value == 1);
  REQUIRE(papers[0].speeds.size() == 1);
  const auto& speed = papers[0].speeds[0];
  CHECK(speed.cases == 3);  // neither the part of a sweep nor the second experiment counts
  CHECK(speed.times == Approx(std::cbrt(2. * 2 * 4)));
  CHECK(speed.least == Approx(2));
  CHECK(speed.most == Approx(4));
  REQUIRE(papers[0].disputed.size() == 1);

  const auto text = to_text(papers, c.columns);
  CHECK_THAT(text, ContainsSubstring("jacobi: sweeps of 8x8, single precision\n"));
  CHECK_THAT(
      text, ContainsSubstring("H200 is 2.52 times as fast as GTX 280: geometric mean of 3 cases, from 2 to"));
  CHECK_THAT(text, ContainsSubstring("cuda_2d            1 s       40 % copy (of two)  4\n"));
  CHECK_THAT(text, ContainsSubstring("conclusions: GTX 280: 2 hold; H200: 2 hold, 1 no longer"));
  CHECK_THAT(text, ContainsSubstring("differs: texture_wins: holds on GTX 280; no longer on H200"));
}

TEST_CASE("a case that both have stands in for a main case that one lacks") {
  auto a = machine("a", "H200", 1);
  std::erase_if(a.runs.front().rows, [](const row& r) { return r.size == "8x8"; });
  const auto papers = summary_of(compared_devices({a, machine("b", "GTX 280", 2)}));

  REQUIRE(papers.size() == 1);
  CHECK(papers[0].title == "1000 sweeps of 16x8, single precision");
  CHECK(papers[0].best.size() == 2);
}

TEST_CASE("devices without a common variant have no ratio, and a paper of one device no summary") {
  auto a = machine("a", "H200", 1);
  for (auto& r : a.runs.front().rows) r.variant = r.variant.str() + "_other";
  const auto apart = compared_devices({a, machine("b", "GTX 280", 2)});
  const auto papers = summary_of(apart);
  REQUIRE(papers.size() == 1);
  CHECK(papers[0].speeds.empty());
  CHECK_THAT(to_text(papers, apart.columns), ContainsSubstring("No two of them timed the same variant"));

  a.runs.front().rows.clear();
  CHECK(summary_of(compared_devices({a, machine("b", "GTX 280", 2)})).empty());
}

TEST_CASE("a board is found by every name that it has") {
  const temporary_folder folder;
  put(folder / "boards.csv",
      "id,aliases,year,bandwidth_gb_s,single_gflops,double_gflops\nGTX 280,PH 280;GeForce GTX "
      "280,2008,141.7,622,\n");
  const auto boards = read_boards(folder / "boards.csv");

  REQUIRE(boards.find("ph280") != nullptr);
  CHECK(boards.find("ph280")->year == 2008);
  CHECK(std::isnan(boards.find("gtx 280")->double_rate));
  CHECK(boards.id_of("GEFORCE GTX 280") == "GTX 280");
  CHECK(boards.id_of("GTX 281") == "GTX 281");

  put(folder / "boards.csv", "id,aliases,year,bandwidth_gb_s,single_gflops,double_gflops\nA,,soon,1,1,1\n");
  CHECK_THAT(complaint_of<bad_input>([&] { read_boards(folder / "boards.csv"); }),
             ContainsSubstring("line 2"));
}

TEST_CASE("the boards of the papers and recorded runs are known, and each paper has a main case") {
  const std::filesystem::path home = source_dir();
  const auto boards = read_boards(home / "reports/compare/boards.csv");
  const auto cases = read_main_cases(home / "reports/layouts/main_cases.csv");
  CHECK(cases.size() == 5);
  for (const auto& c : cases)
    for (const auto& r : read_rows(home / "reference/published" / (c.id + ".csv"))) {
      INFO(c.id << " " << r.device);
      CHECK((r.device.empty() || boards.find(r.device.str()) != nullptr));
    }
  CHECK(boards.find("NVIDIA H200") != nullptr);
}

TEST_CASE("times by year have the fastest code of each board, published and measured") {
  const temporary_folder folder;
  std::filesystem::create_directories(folder / "published");
  auto printed = paper_rows;
  for (auto& r : printed) r.size = "8x8";
  put(folder / "published/jacobi.csv", row_header() + to_csv(printed));
  comparison_sources from{{}, folder / "published", {}, {family_layout{"jacobi", "A paper", {table1()}}}};
  from.boards = board_names({{.id = "GTX 280", .aliases = {"PH 280"}, .year = 2008, .bandwidth = 141.7},
                             {.id = "H200", .aliases = {"NVIDIA H200"}, .year = 2024}});
  from.main_cases = {sweeps};
  const auto c = compared_devices({machine("a", "NVIDIA H200", 1), machine("b", "Unknown", 2)});

  const auto all = years_of(c, from);

  const auto& paper = all["papers"][0];
  REQUIRE(paper["points"].size() == 2);
  CHECK(paper["points"][0] == nlohmann::json{{"board", "GTX 280"},
                                             {"year", 2008},
                                             {"seconds", .42},
                                             {"variant", "cuda_2d"},
                                             {"source", "published"}});
  CHECK(paper["points"][1]["board"] == "H200");
  CHECK(paper["points"][1]["seconds"] == 1);
  CHECK(paper["undated"] == nlohmann::json{"Unknown"});
  CHECK(all["boards"][1]["bandwidth"].is_null());
}

TEST_CASE("only times of chosen experiments are compared, and of the table that a chosen figure shows") {
  auto printed = machine("paper:GTX280", "GTX 280", 2);
  printed.is_paper = true;
  const std::vector all{machine("a", "H200", 1), printed};
  const auto columns = columns_of(all);
  auto figure = figure21("width");
  figure.published_in = "jacobi/table1";
  const std::vector families{family_layout{"jacobi", "A paper", {figure}}};

  CHECK(compare_times(all, columns, sweeps, families, "jacobi/table3", false).lines.size() == 1);
  const auto shown = compare_times(all, columns, sweeps, families, "jacobi/fig21", false).lines;
  REQUIRE(shown.size() == 3);
  CHECK(std::isnan(shown.front().cells[0].value));
  CHECK(compare_times(all, columns, sweeps, families, "tissue/*", false).lines.empty());
}

TEST_CASE("a paper that the first item lacks is compared from the first item that has it") {
  auto without = machine("first", "GTX 580", 1);
  without.runs.front().rows = {a_row("table1", "other", "cuda:0", "32x32", 1)};
  const auto c = compared_devices({without, machine("b", "GTX 280", 2), machine("c", "H200", 1)});

  const auto papers = summary_of(c);

  REQUIRE(papers.size() == 1);
  REQUIRE(papers[0].speeds.size() == 1);
  CHECK(c.columns[papers[0].speeds[0].faster].label == "H200");
  CHECK(c.columns[papers[0].speeds[0].slower].label == "GTX 280");
  CHECK(papers[0].without == std::vector<std::size_t>{0});
  CHECK_THAT(to_text(papers, c.columns), ContainsSubstring("GTX 580 has no time of this case"));
}

TEST_CASE("a summary fits a terminal, writes numbers in full, and doubts what one board tells") {
  const std::string board = "A board whose name alone would fill most of a line of a terminal";
  auto a = machine("a", board, 1), b = machine("b", board, 2610);
  const auto c = compared_devices({a, b});

  const auto text = to_text(summary_of(c), c.columns);

  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    CHECK(width(std::string_view(text).substr(at, text.find('\n', at) - at)) <= 80);
  CHECK(text.find("e+") == std::string::npos);
  CHECK_THAT(wrapped(text, 1000), ContainsSubstring("may be noise"));
}
