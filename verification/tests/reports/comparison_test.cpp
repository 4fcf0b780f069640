// SPDX-License-Identifier: MIT
// Tests the comparison of devices: what may be compared, in which columns, and which
// claims hold on which device.
#include "reports/compare/likeness.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "reports/compare/comparison.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_folder.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
using texts = std::vector<std::string>;

// A run on a GPU (through CUDA and OpenCL) and its host's processor.
run machine(const std::string& name, const std::string& board, double seconds) {
  auto r = a_run({a_row("table1", "cuda_2d", "cuda:0", "8x8", seconds),
                  a_row("table1", "opencl_simple", "opencl:1", "8x8", 2 * seconds),
                  a_row("table1", "cpu_interleaved", "cpu", "8x8", 9)},
                 name);
  (*r.description)["devices"] = {{{"id", "cpu"}, {"name", "EPYC"}},
                                 {{"id", "cuda:0"}, {"name", board}},
                                 {{"id", "opencl:1"}, {"name", board + "/PCIe/SSE2"}}};
  (*r.description)["request"] = {{"preset", "quick"}, {"sizes", texts{}}};
  (*r.description)["reprise"] = "0.1.0";
  return r;
}

compared as_compared(const run& r) {
  return {name_of(r), false, {r}};
}

// A row of the same case with another metric.
row beside(const row& r, const std::string& metric, double value, const std::string& unit) {
  auto other = with_metric(r, metric, unit);
  other.value = value;
  return other;
}

std::string why_unlike(const std::vector<compared>& all, const texts& vary = {}) {
  return complaint_of<bad_input>([&] { require_alike(all, vary); });
}

family_layout jacobi() {
  return {"jacobi", "A paper", {table1()}};
}

comparison_sources with_files(const temporary_folder& folder) {
  std::filesystem::create_directories(folder / "recorded/h200");
  std::filesystem::create_directories(folder / "published");
  std::filesystem::create_directories(folder / "claims");
  make_run(folder / "recorded/h200/jacobi");
  put(folder / "published/jacobi.csv", row_header() + to_csv(paper_rows));
  put_claims(folder / "claims",
             "cuda_wins,,T1,c,conclusion,{cuda_2d@8x8}/{cpu_interleaved@8x8},,1,wins,,no longer,,r\n"
             "printed,,T1,c,shown,{cuda_2d@8x8},1,s,,,,,r\n");
  return {folder / "recorded", folder / "published", folder / "claims", {jacobi()}};
}

}  // namespace

TEST_CASE("a name is a run's folder, a folder of runs, a recorded device or a paper's board") {
  const temporary_folder folder;
  const auto from = with_files(folder);

  CHECK(read_compared((folder / "recorded/h200/jacobi").string(), from).runs.size() == 1);
  CHECK(read_compared((folder / "recorded/h200").string(), from).runs.size() == 1);
  CHECK(read_compared("h200", from).runs.size() == 1);
  const auto board = read_compared("paper:ph280", from);
  CHECK(board.is_paper);
  CHECK(board.runs.front().rows.size() == paper_rows.size());
}

TEST_CASE("a name that is nothing is answered with those that there are") {
  const temporary_folder folder;
  const auto from = with_files(folder);
  const auto complaint = [&](const std::string& name) {
    return complaint_of<bad_input>([&] { read_compared(name, from); });
  };
  CHECK_THAT(complaint("h300"), ContainsSubstring("h300") && ContainsSubstring("h200"));
  CHECK_THAT(complaint("paper:GTX999"), ContainsSubstring("PH 280"));
  CHECK_THAT(complaint("paper:"), ContainsSubstring("PH 280"));
  CHECK_THAT(complaint("../h200"), ContainsSubstring("neither"));
  CHECK_THAT(complaint((folder / "published").string()), ContainsSubstring("run.json"));
}

TEST_CASE("a run that was edited or has another schema is refused") {
  const temporary_folder folder;
  const auto from = with_files(folder);
  const auto path = folder / "recorded/h200/jacobi";
  const auto rows = text_in(path / "rows.csv");
  put(path / "rows.csv", std::string(rows).replace(rows.find("0.25"), 4, "0.15"));
  CHECK_THAT(complaint_of<bad_input>([&] { read_compared("h200", from); }), ContainsSubstring("SHA-256"));
  put(path / "rows.csv", rows);
  edit_description(path, "/schema", 99);
  CHECK_THAT(complaint_of<bad_input>([&] { read_compared("h200", from); }), ContainsSubstring("schema 99"));
}

TEST_CASE("runs that were made alike may be compared") {
  CHECK(why_unlike({as_compared(machine("a", "H200", 1)), as_compared(machine("b", "H100", 2))}).empty());
}

TEST_CASE("a difference between runs is refused unless it is named") {
  const auto a = machine("a", "H200", 1);
  for (const auto& [name, path, value] :
       {std::tuple("preset", "/request/preset", nlohmann::json("smoke")),
        std::tuple("sizes", "/request/sizes", nlohmann::json{"64x64"}),
        std::tuple("settings", "/request/settings", nlohmann::json{{"eps", 1e-6}}),
        std::tuple("version", "/reprise", nlohmann::json("0.2.0")),
        std::tuple("build", "/build_type", nlohmann::json("Debug"))}) {
    auto b = machine("b", "H100", 2);
    (*b.description)[nlohmann::json::json_pointer(path)] = value;
    const std::vector all{as_compared(a), as_compared(b)};
    CHECK_THAT(why_unlike(all), ContainsSubstring(std::string("--vary ") + name));
    CHECK(why_unlike(all, {name}).empty());
    CHECK_FALSE(why_unlike(all, {"precision"}).empty());
  }
}

TEST_CASE("a setting matters only to experiments of a family that has it") {
  auto settings = [](run r) {
    (*r.description)["request"]["settings"] = {{"eps", 1e-6}};
    return as_compared(r);
  };
  const std::vector all{as_compared(machine("a", "H200", 1)), settings(machine("b", "H100", 2))};
  family_layout has_eps = jacobi();
  has_eps.settings = {"eps"};
  const std::vector with{has_eps};
  const std::vector without{jacobi()};

  CHECK(complaint_of<bad_input>([&] { require_alike(all, {}, {"*", without}); }).empty());
  CHECK_THAT(complaint_of<bad_input>([&] {
               require_alike(all, {}, {"*", with});
             }),
             ContainsSubstring("--vary settings"));
}

TEST_CASE("what differs in experiments that are not compared refuses nothing") {
  auto with_figure = [](run r, const std::string& precision) {
    auto more = a_row("fig21", "cuda_2d", "cuda:0", "8x8", 1);
    more.precision = precision;
    r.rows.push_back(more);
    return as_compared(r);
  };
  const std::vector all{with_figure(machine("a", "H200", 1), "single"),
                        with_figure(machine("b", "H100", 2), "double")};

  CHECK_THAT(complaint_of<bad_input>([&] {
               require_alike(all, {}, {"jacobi/fig21", {}});
             }),
             ContainsSubstring("--vary precision"));
  CHECK(complaint_of<bad_input>([&] { require_alike(all, {}, {"jacobi/table1", {}}); }).empty());
  CHECK_THAT(complaint_of<bad_input>([&] {
               require_alike(all, {}, {"tissue/*", {}});
             }),
             ContainsSubstring("tissue/*"));
}

TEST_CASE("variants that computed in another precision are refused unless it is named") {
  auto b = machine("b", "H100", 2);
  for (auto& r : b.rows) r.precision = "double";
  const std::vector all{as_compared(machine("a", "H200", 1)), as_compared(b)};
  const auto columns = columns_of(all);

  CHECK_THAT(why_unlike(all), ContainsSubstring("--vary precision"));
  CHECK(why_unlike(all, {"precision"}).empty());
  CHECK(compare_tables(all, columns, std::vector{jacobi()}, false).front().lines.size() == 6);
  CHECK(compare_tables(all, columns, std::vector{jacobi()}, true).front().lines.size() == 3);
}

TEST_CASE("a run given twice, one without company and an unknown property are refused") {
  const auto a = as_compared(machine("a", "H200", 1));
  auto other = machine("b", "H100", 2);
  for (auto& r : other.rows) r.experiment = "tissue/fig5";
  CHECK_THAT(why_unlike({a, a}), ContainsSubstring("same run"));
  CHECK_THAT(why_unlike({a, as_compared(other)}), ContainsSubstring("in common"));
  CHECK_THAT(why_unlike({a, as_compared(machine("b", "H100", 2))}, {"weather"}),
             ContainsSubstring("preset, sizes"));
}

TEST_CASE("a board has one column, however it is reached, and its machine is named where needed") {
  const std::vector all{as_compared(machine("a", "H200", 1)), as_compared(machine("b", "H100", 2))};
  const auto columns = columns_of(all);

  REQUIRE(columns.size() == 4);
  CHECK(columns[0].label == "EPYC (a)");
  CHECK(columns[1].label == "H200");
  CHECK(columns[1].ids == texts{"cuda:0", "opencl:1"});
  CHECK(columns[3].label == "H100");
}

TEST_CASE("two boards of one name in a machine stay two columns") {
  auto r = machine("a", "H200", 1);
  r.rows.push_back(a_row("table1", "cuda_2d", "cuda:1", "8x8", 1));
  (*r.description)["devices"].push_back({{"id", "cuda:1"}, {"name", "H200"}});
  const std::vector all{as_compared(r)};
  const auto columns = columns_of(all);

  REQUIRE(columns.size() == 3);
  CHECK(columns[1].label == "H200 cuda:0");
  CHECK(columns[2].label == "H200 cuda:1");
}

TEST_CASE("a line has each device's number, its share of the roof that binds, and what a joule buys") {
  auto a = machine("a", "H200", 1);
  const auto timed = a.rows.front();
  a.rows.push_back(beside(timed, "share_of_copy_roof", 40, "%"));
  a.rows.push_back(beside(timed, "share_of_flops_roof", 10, "%"));
  a.rows.push_back(beside(timed, "share_of_binding_roof", 45, "%"));
  a.rows.back().reason = "shared memory, 32.6 TB/s; memory 30 %, multiply-adds 10 %";
  a.rows.push_back(beside(timed, "energy_1000_sweeps", 4, "J"));
  const std::vector all{as_compared(a), as_compared(machine("b", "H100", 2))};
  const auto columns = columns_of(all);

  const auto tables = compare_tables(all, columns, std::vector{jacobi()}, false);

  REQUIRE(tables.size() == 1);
  REQUIRE(tables[0].lines.size() == 3);
  const auto& line = tables[0].lines[1];
  CHECK(line.variant == "jacobi/cuda_2d");
  CHECK(line.cells[1].value == 1);
  CHECK(line.cells[1].share == 45);
  CHECK(line.cells[1].roof == "shared memory");
  CHECK(line.cells[1].per_joule == .25);
  CHECK(line.cells[3].value == 2);
  CHECK(std::isnan(line.cells[3].share));
  CHECK(std::isnan(line.cells[0].value));

  const auto g = to_table(tables[0], columns);
  CHECK(g.columns == texts{"variant", "unit", "EPYC (a)", "H200", "H200, % of roof", "H200, per J",
                           "EPYC (b)", "H100", "EPYC (a), times as fast as EPYC (b)",
                           "H200, times as fast as H100"});
  CHECK_THAT(to_text(g), ContainsSubstring("cuda_2d          s     –         1     45 shared memory"));
  CHECK_THAT(to_markdown(g), ContainsSubstring("| cuda_2d | s | – | 1 | 45 shared memory |"));
  CHECK_THAT(to_csv(g), ContainsSubstring("cuda_2d,s,–,1,45 shared memory,0.25,–,2,–,2"));
}

TEST_CASE("a paper's board stands beside measured devices") {
  const temporary_folder folder;
  const auto from = with_files(folder);
  auto a = machine("a", "H200", 1);
  for (auto& r : a.rows) r.size = "508x1024";
  const std::vector all{as_compared(a), read_compared("paper:PH280", from)};
  require_alike(all, {});
  const auto columns = columns_of(all);

  const auto tables = compare_tables(all, columns, from.families, false);

  REQUIRE(tables.size() == 1);
  const auto line = std::find_if(tables[0].lines.begin(), tables[0].lines.end(), [](const auto& l) {
    return l.variant == "jacobi/cuda_2d" && l.size == "508x1024";
  });
  REQUIRE(line != tables[0].lines.end());
  CHECK(line->cells[1].value == 1);
  CHECK(line->cells[2].value == .42);
}

TEST_CASE("a board has one name, however papers print it") {
  const temporary_folder folder;
  auto from = with_files(folder);
  from.boards = board_names({{.id = "GTX 280", .aliases = {"PH 280"}, .year = 2008}});

  const auto board = read_compared("paper:gtx-280", from);

  CHECK(board.runs.front().rows.size() == paper_rows.size());
  const std::vector all{as_compared(machine("a", "H200", 1)), board};
  CHECK(columns_of(all).back().label == "GTX 280");
  CHECK(other_differences(all).front() == "GTX 280 is printed as PH 280");
  CHECK_THAT(complaint_of<bad_input>([&] { read_compared("paper:GTX999", from); }),
             ContainsSubstring("GTX 280") && !ContainsSubstring("PH 280"));
}

TEST_CASE("a figure stands for the table that the paper published its numbers in") {
  const temporary_folder folder;
  auto from = with_files(folder);
  auto figure = figure21("width");
  figure.published_in = "jacobi/table1";
  from.families.front().items.push_back(figure);
  auto r = machine("a", "H200", 1);
  for (auto& one : r.rows) one.experiment = "jacobi/fig21";
  const std::vector all{as_compared(r), read_compared("paper:PH280", from)};

  CHECK(complaint_of<bad_input>([&] { require_alike(all, {}, {"jacobi/fig21", from.families}); }).empty());
  CHECK_THAT(complaint_of<bad_input>([&] {
               require_alike(all, {}, {"jacobi/fig21", {}});
             }),
             ContainsSubstring("paper:PH280: has no number of an experiment that matches 'jacobi/fig21'"));
}

TEST_CASE("a conclusion is judged for each device by that machine's numbers") {
  const temporary_folder folder;
  const auto from = with_files(folder);
  const std::vector all{as_compared(machine("a", "H200", 1)), as_compared(machine("b", "GT210", 20))};
  const auto columns = columns_of(all);

  const auto claims = compare_claims(all, columns, from);

  REQUIRE(claims.size() == 1);  // claims that are only shown are not compared
  CHECK(claims[0].id == "cuda_wins");
  CHECK(claims[0].outcomes ==
        std::vector{verdict::holds, verdict::holds, verdict::no_longer, verdict::no_longer});
}

TEST_CASE("a conclusion that rests on no row of a device is not told of it") {
  const temporary_folder folder;
  const auto from = with_files(folder);
  auto r = machine("a", "H200", 1);
  r.rows.push_back(a_row("table1", "opengl_rgba", "opengl:0", "8x8", 5));
  (*r.description)["devices"].push_back({{"id", "opengl:0"}, {"name", "llvmpipe"}});
  const std::vector all{as_compared(r)};

  const auto claims = compare_claims(all, columns_of(all), from);

  REQUIRE(claims.size() == 1);
  CHECK(claims[0].outcomes.back() == verdict::undecided);
}

TEST_CASE("what else differs between runs is told") {
  auto b = machine("b", "H200", 1);
  (*b.description)["git"] = "abc";
  auto a = machine("a", "H200", 1);
  (*a.description)["git"] = "def";
  const std::vector all{as_compared(a), as_compared(b)};
  CHECK(other_differences(all) == texts{"git differs: abc (b) | def (a)"});
}

TEST_CASE("a paper that one of the runs has nothing of is told") {
  auto b = machine("b", "H100", 1);
  auto more = a_row("table1", "cuda_2d", "cuda:0", "8x8", 1);
  more.experiment = "tissue/fig5";
  b.rows.push_back(more);
  const std::vector all{as_compared(machine("a", "H200", 1)), as_compared(b)};
  CHECK(other_differences(all) == texts{"a has no number of: tissue"});
}

TEST_CASE("chosen experiments that one of the items has no number of are told") {
  auto b = machine("b", "H100", 1);
  b.rows.push_back(a_row("fig21", "cuda_2d", "cuda:0", "8x8", 1));
  const std::vector all{as_compared(machine("a", "H200", 1)), as_compared(b)};
  CHECK(other_differences(all, {"jacobi/*", {}}) == texts{"a has no number of: jacobi/fig21"});
  CHECK(other_differences(all, {"jacobi/table1", {}}).empty());
}
