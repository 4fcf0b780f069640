// SPDX-License-Identifier: MIT
// Tests how a layout is read and filled: keys, preferences, quotients, views, reasons, verdict bands, and its texts.
#include <catch2/catch_test_macros.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/page/printed_latex.hpp"
#include "reports/page/printed_text.hpp"
#include "reports/text/digits.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;

constexpr auto one_table = R"({"tables": [{
  "id": "jacobi/table1", "title": "Table 1", "caption": "times", "note": "A note.", "stub": ["code"], "choice": "cuda_2d",
  "common": {"device": "PH 280", "precision": "single", "metric": "time_1000_sweeps", "unit": "s"},
  "columns": [{"label": ["Width", "508"], "size": "508x1024"}, {"label": ["Width", "1024"], "size": "1024x1024"}],
  "rows": [{"label": "2D", "variant": "cuda_2d"}, {"label": "none", "variant": "cuda_other"}]}]})";

std::vector<printed_layout> layouts_in(const temporary_folder& folder, const std::string& text) {
  put(folder / "layout.json", text);
  return read_printed_layouts(folder / "layout.json");
}

// A run that is evidence without reserve, with several samples of each time.
run sound_run(std::vector<row> rows) {
  for (auto& r : rows) r.samples = 9;
  auto r = a_run(rows);
  (*r.description)["finished"] = "2026-01-01T00:00:00Z";
  r.is_sealed = true;
  return r;
}

struct filled {
  temporary_folder folder;
  std::vector<run> runs;
  printed_rows paper;
  std::vector<printed_table> tables;

  filled(const std::string& layout, std::vector<row> measured)
      : runs{sound_run(std::move(measured))}, paper{paper_rows, {0.005, 0.05, 0.005}} {
    tables = make_printed_tables(layouts_in(folder, layout), paper, shown_rows({}, runs), runs, {});
  }
  const printed_cell& cell(std::size_t row, std::size_t column) const {
    return *tables[0].cells[row][column];
  }
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST_CASE("a printed cell stands beside its measured number, with ratio and band") {
  const filled f(one_table, measured_rows);
  CHECK(f.cell(0, 0).text == "0.42");
  const auto& m = f.cell(0, 0).numbers[0];
  CHECK(m.text == "0.0123");
  CHECK(m.ratio_text == "÷34.0");
  CHECK(m.distance == band::far_below);
  CHECK(f.tables[0].columns[0] == std::vector<std::string>{"Width", "508 (s)"});
  CHECK(f.tables[0].cells[1][0] == std::nullopt);
  CHECK(label_of(f.tables[0].views[0]) == "cuda_2d on NVIDIA H200");
}

TEST_CASE("a cell without a measured number has the reason of its case, or the command that measures it") {
  const filled f(one_table, measured_rows);
  CHECK(f.cell(0, 1).numbers[0].reason == "max error 3");
  const filled without(one_table, {});
  CHECK(without.cell(0, 1).numbers[0].reason ==
        "not in these runs: reprise run jacobi/table1 --preset paper --size 1024x1024");
  const filled told(replaced(one_table, "\"unit\": \"s\"", "\"reason\": \"never\""), measured_rows);
  CHECK(told.cell(0, 0).numbers[0].reason == "never");
  CHECK(notes_of(told.tables[0]) == std::vector<std::string>{"never"});
  CHECK(count_cells(f.tables).printed == 2);
  CHECK(count_cells(f.tables).measured == 1);
}

TEST_CASE("a cell without a number has the reason of a time that was measured before that of one left out") {
  const auto wrong = std::ranges::find(measured_rows, shared_text("failed"), &row::status);
  REQUIRE(wrong != measured_rows.end());
  auto disturbed = *wrong;
  disturbed.status = "disturbed";
  disturbed.reason = "a busy core";
  auto left_out = *wrong;
  left_out.status = "skipped";
  left_out.reason = "too long";
  const auto reason_of = [](const std::vector<row>& rows) {
    return filled(one_table, rows).cell(0, 1).numbers[0].reason;
  };

  CHECK(reason_of({left_out}) == "too long");
  CHECK(reason_of({left_out, disturbed}) == "a busy core");
  CHECK(reason_of({disturbed, left_out}) == "a busy core");
}

TEST_CASE("a reader may choose another variant and device, the paper's variant comes first") {
  const filled f(one_table, measured_rows);
  REQUIRE(f.tables[0].views.size() == 2);
  CHECK(label_of(f.tables[0].views[1]) == "cpu_interleaved on EPYC");
  CHECK(f.cell(0, 0).numbers[1].value == 12);
  CHECK(f.cell(0, 0).numbers[1].distance == band::far_above);
}

TEST_CASE("alternatives are taken in order, and a quotient takes both numbers from one case") {
  const std::string alternatives =
      R"("measured": {"size": "7x7|512x1024|1024x1024", "experiment": "jacobi/fig21"}, "unit": "s")";
  const filled f(replaced(one_table, "\"unit\": \"s\"", alternatives), measured_rows);
  CHECK(f.cell(0, 0).numbers[0].value == 1);

  const std::string of_one_variant =
      R"("measured": {"size": "1024x1024", "experiment": "jacobi/fig21", "variant": "none|cuda_2d",
      "over": {"size": "512x1024"}}, "unit": "1")";
  const filled one(replaced(one_table, "\"unit\": \"s\"", of_one_variant), measured_rows);
  CHECK(one.cell(0, 0).numbers[0].value == 2);

  const std::string quotient =
      R"("measured": {"size": "512x1024", "experiment": "jacobi/fig21", "variant": "cpu_interleaved",
      "over": {"variant": "cuda_2d"}, "excess": true}, "unit": "%")";
  const filled q(replaced(one_table, "\"unit\": \"s\"", quotient), measured_rows);
  CHECK(q.cell(0, 0).numbers[0].value == 800);
}

TEST_CASE("a layout that is not valid is refused with its file") {
  const temporary_folder folder;
  CHECK_THROWS_AS(layouts_in(folder, replaced(one_table, "\"stub\"", "\"stubs\"")), bad_input);
  CHECK_THROWS_AS(layouts_in(folder, replaced(one_table, "[\"code\"]", "[\"code\", \"board\"]")), bad_input);
  CHECK_THROWS_AS(layouts_in(folder, "{}"), bad_input);
  CHECK_THROWS_AS(layouts_in(folder, "{"), bad_input);
}

TEST_CASE("a printed table is written in the paper's shape") {
  const filled f(one_table, measured_rows);
  const auto& t = f.tables[0];
  CHECK(to_csv(t) ==
        "code,Width: 508 (s),Width: 508 (s) measured,Width: 508 (s) ratio,Width: 508 (s) reason,"
        "Width: 1024 (s),Width: 1024 (s) measured,Width: 1024 (s) ratio,Width: 1024 (s) reason\n"
        "2D,0.42,0.0123456,0.0293943,,0.9,,,max error 3\nnone,,,,,,,,\n");
  const auto latex = to_latex(t);
  CHECK(latex.find("& \\multicolumn{4}{c}{Width} \\\\\n\\cmidrule(lr){2-5}\n") != std::string::npos);
  CHECK(latex.find("2D & 0.42 & 0.0123 {\\scriptsize $\\div$34.0} & 0.9 & --$^{a}$ \\\\\n") !=
        std::string::npos);
  CHECK(latex.find("\\begin{table}") < latex.find("\\caption{Table 1: times."));
  CHECK(
      latex.find(
          "\\raggedright\nA note.\\\\\nRuns: here.\\\\\n$^{a}$ max error 3\\end{minipage}\n\\end{table}\n") !=
      std::string::npos);
  CHECK(to_markdown(t).find("| 2D | 0.42 → 0.0123 (÷34.0) | 0.9 → – [a] |\n") != std::string::npos);
  const auto json = to_json(t, {});
  CHECK(json["head"][0][0]["span"] == 2);
  CHECK(json["rows"][0]["cells"][0]["measured"][0]["views"] == std::vector{0});
}

TEST_CASE("hostile names and reasons stay text in a printed table's files") {
  const std::string hostile = "x\n\\input{/etc/passwd}|<b>";
  auto rows = measured_rows;
  for (auto& r : rows)
    if (r.status == "failed") r.reason = hostile;
  const filled f(one_table, rows);
  auto t = f.tables[0];
  t.views[0].device = hostile;
  for (const auto& text : {to_latex(t), to_markdown(t)}) {
    CHECK(text.find("\n\\input") == std::string::npos);
    CHECK(text.find("<b>") == std::string::npos);
  }
  CHECK(to_latex(t).find("\\input") == std::string::npos);
  CHECK(to_markdown(t).find("\\|") != std::string::npos);
  t.labels[0] = {"at=10⁻², _x"};
  CHECK(to_latex(t).find("at=10$^{-2}$, \\_x & ") != std::string::npos);
}

TEST_CASE("numbers have the digits of print, three significant ones, or those that their interval allows") {
  CHECK(printed_text(2.6, 0.005, false) == "2.60");
  CHECK(printed_text(0.0071, 0.00005, true) == "7.1e-3");
  CHECK(printed_text(1.3, 0.05, true) == "1.3");
  CHECK(printed_text(163842, 0, false) == "163842");
  CHECK(brief_text(4.0214755, 3.9, 4.13) == "4.0");
  CHECK(brief_text(0.0123456, no_value, no_value) == "0.0123");
  CHECK(brief_text(11614, no_value, no_value) == "11614");
  CHECK(brief_text(0.0012, no_value, no_value, "s") == "1.20 ms");
  CHECK(brief_text(0.52, no_value, no_value, "s") == "0.520");
  CHECK(brief_text(33400.0123, no_value, no_value, "GFLOP/s") == "33.4 TFLOP/s");
  CHECK(brief_text(1.5e-7, no_value, no_value, "s") == "150 ns");
  CHECK(readable_unit(0.0012, "s") == "s");
  CHECK(readable_unit(1.2e-5, "s") == "us");
  CHECK(readable_unit(33400, "GFLOP/s") == "GFLOP/s");
  CHECK(readable_unit(no_value, "s") == "s");
  CHECK(power_text(0.00577, no_value, no_value) == "5.77e-3");
  CHECK(with_superscripts("7.1e-3 (1e12)") == "7.1·10⁻³ (10¹²)");
  CHECK(with_latex_powers("7.1e-3") == "7.1$\\cdot10^{-3}$");
  CHECK(with_superscripts("1.1e-3 e2 3e") == "1.1·10⁻³ e2 3e");
  CHECK(unit_factor("s", "ms") == 1000);
  CHECK(unit_factor("s", "GB/s") == std::nullopt);
}

}  // namespace
