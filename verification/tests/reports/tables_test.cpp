// SPDX-License-Identifier: MIT
// Tests tables and figures of a small generated run: their content and their exact bytes.
#include "reports/page/tables.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>
#include <vector>

#include "reports/page/figures.hpp"
#include "reports/text/latex.hpp"
#include "reports/text/latex_table.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using texts = std::vector<std::string>;

table made(const layout& l, const std::vector<row>& paper, const std::vector<run>& runs) {
  return make_table(l, shown_rows(paper, runs));
}

texts cells_of(const std::vector<cell>& line) {
  texts cells;
  for (const auto& c : line) cells.push_back(to_text(c));
  return cells;
}

}  // namespace

TEST_CASE("a table has published lines first, then measured ones by device, across sizes in order") {
  const auto t = made(table1(), paper_rows, {a_run(measured_rows)});

  CHECK(t.unit == "s");
  CHECK(t.text_columns == 3);
  CHECK(t.columns == texts{"source", "device", "variant", "508x1024", "1024x1024"});
  REQUIRE(t.lines.size() == 4);
  CHECK(cells_of(t.lines[0]) == texts{"published", "PH 280", "cuda_2d", "0.42", "0.9"});
  CHECK(cells_of(t.lines[1]) == texts{"measured", "NVIDIA H200", "cuda_2d", "0.01235", "–"});
  CHECK(cells_of(t.lines[2]) == texts{"measured", "EPYC", "cpu_interleaved", "12", ""});
  CHECK(cells_of(t.lines[3]) == texts{"measured", "", "cuda_texture", "–", "–"});
}

TEST_CASE("a table of several metrics has them for columns, with their units") {
  auto rows = measured_rows;
  rows.push_back(a_row("table3", "cuda_2d", "cuda:0", "1024x1024", 0.5));

  const auto t = made(table3(), paper_rows, {a_run(rows)});

  CHECK(t.unit.empty());
  CHECK(t.columns == texts{"source", "device", "variant", "time_1000_sweeps (s)", "speedup_over_cpu"});
  REQUIRE(t.lines.size() == 3);
  CHECK(cells_of(t.lines[0]) == texts{"published", "PH 280", "cuda_2d", "", "78.74"});
  CHECK(cells_of(t.lines[2]) == texts{"measured", "NVIDIA H200", "cuda_2d", "0.5", "972"});
}

TEST_CASE("a table of several metrics at several sizes names the size of a line") {
  const auto t = made(
      table3(), {}, {a_run({a_row("table3", "a", "cpu", "8x8", 1), a_row("table3", "a", "cpu", "9x9", 2)})});

  CHECK(t.columns[3] == "size");
  REQUIRE(t.lines.size() == 2);
  CHECK(cells_of(t.lines[1]) == texts{"measured", "EPYC", "a", "9x9", "2", ""});
}

TEST_CASE("precision and parameter are named where they tell lines apart") {
  auto in_double = a_row("table1", "a", "cpu", "8x8", 2);
  in_double.precision = "double";
  auto pinned = a_row("table1", "a", "cpu", "8x8", 3);
  pinned.parameter = "matrix=pinned";

  const auto t = made(table1(), {}, {a_run({a_row("table1", "a", "cpu", "8x8", 1), in_double, pinned})});

  CHECK(t.columns == texts{"source", "device", "variant", "precision", "parameter", "8x8"});
  REQUIRE(t.lines.size() == 3);
  CHECK(cells_of(t.lines[1]) == texts{"measured", "EPYC", "a", "double", "", "2"});
  CHECK(cells_of(t.lines[2]) == texts{"measured", "EPYC", "a", "single", "matrix=pinned", "3"});
}

TEST_CASE("a number takes the place of a reason, and the first number stays") {
  const auto skipped = without_value(a_row("table1", "a", "cpu", "8x8", 0), "skipped", "busy");

  const auto t = made(table1(), {},
                      {a_run({skipped, a_row("table1", "a", "cpu", "8x8", 1),
                              a_row("table1", "a", "cpu", "8x8", 2), skipped})});

  REQUIRE(t.lines.size() == 1);
  CHECK(cells_of(t.lines[0]) == texts{"measured", "EPYC", "a", "1"});
}

TEST_CASE("a cell with another unit than its column says so") {
  auto in_ms = published(a_row("table1", "a", "PH 280", "8x8", 420));
  in_ms.unit = "ms";

  const auto t = made(table1(), {published(a_row("table1", "b", "PH 280", "8x8", 1)), in_ms}, {});

  CHECK(cells_of(t.lines[1]).back() == "420 ms");
}

TEST_CASE("a share of the roof that binds names that roof") {
  auto shape = table3();
  shape.metrics = {"time_1000_sweeps", "share_of_binding_roof"};
  row share =
      with_metric(a_row("table3", "cuda_2d", "cuda:0", "1024x1024", 72.4), "share_of_binding_roof", "%");
  share.reason = "shared memory, 32.7 TB/s; grid exchange 48 %";

  const auto t = made(shape, {}, {a_run({a_row("table3", "cuda_2d", "cuda:0", "1024x1024", 0.5), share})});

  REQUIRE(t.lines.size() == 1);
  CHECK(to_text(t.lines[0].back()) == "72.4 shared memory");
}

TEST_CASE("devices of one name and runs of one device are told apart") {
  auto twins =
      a_run({a_row("table1", "a", "cuda:0", "8x8", 1), a_row("table1", "a", "cuda:1", "8x8", 2)}, "x");
  (*twins.description)["devices"] = {{{"id", "cuda:1"}, {"name", "H200"}},
                                     {{"id", "cuda:0"}, {"name", "H200"}}};

  const auto t = made(table1(), {}, {twins, a_run({a_row("table1", "a", "cpu", "8x8", 3)}, "y")});

  REQUIRE(t.lines.size() == 3);
  CHECK(t.lines[0][1].text == "H200 (cuda:1) (x)");
  CHECK(t.lines[1][1].text == "H200 (cuda:0) (x)");
  CHECK(t.lines[2][1].text == "EPYC (y)");
}

TEST_CASE("numbers are shown with four digits, counts in full") {
  CHECK(number_text(0.0123456) == "0.01235");
  CHECK(number_text(78.74) == "78.74");
  CHECK(number_text(1e-7) == "1e-07");
  CHECK(number_text(123456) == "123456");
  CHECK(number_text(12345.67) == "12346");
  CHECK(number_text(3e12) == "3e+12");
  CHECK(number_text(0) == "0");
  CHECK(number_text(no_value) == "–");
  CHECK(to_text(cell{}).empty());
  CHECK(to_text(cell{.value = 2.5, .unit = "ms"}) == "2.5 ms");
}

TEST_CASE("a table is written as Markdown, CSV and LaTeX") {
  const auto t = made(table1(), {paper_rows[0]}, {a_run({measured_rows[1], measured_rows[3]})});

  CHECK(to_markdown(t) ==
        "**Table 1: 1000 sweeps (s)**\n\n"
        "| source | device | variant | 508x1024 |\n"
        "| --- | --- | --- | ---: |\n"
        "| published | PH 280 | cuda_2d | 0.42 |\n"
        "| measured | NVIDIA H200 | cuda_2d | 0.01235 |\n"
        "| measured |  | cuda_texture | – |\n"
        "\nSweeps only.\n");
  CHECK(to_csv(t) ==
        "source,device,variant,508x1024 (s)\n"
        "published,PH 280,cuda_2d,0.42\n"
        "measured,NVIDIA H200,cuda_2d,0.0123456\n"
        "measured,,cuda_texture,–\n");
  const auto latex = to_latex(t);
  CHECK_THAT(latex, StartsWith(std::string(latex_rules()) + "\\begin{table}[htbp]\n"));
  CHECK_THAT(latex, ContainsSubstring(
                        "\\caption{The paper's Table 1: 1000 sweeps (s)}\n\\label{tab:all_jacobi_table1}\n"));
  CHECK_THAT(
      latex,
      ContainsSubstring(
          "\\raggedright{}measured & \\raggedright{}NVIDIA H200 & \\raggedright{}cuda\\_\\allowbreak{}2d & "
          "0.01235 \\\\\n"));
  CHECK_THAT(latex, EndsWith("\\bottomrule\n\\end{tabular}\n\\end{table}\n"));
}

TEST_CASE("a table that is wider or longer than a page goes on in further floats with one label") {
  table t{.id = "jacobi/wide", .title = "Wide", .columns = {"source", "device"}, .text_columns = 2};
  for (int i = 0; i < 20; ++i) t.columns.push_back("a_number_" + std::to_string(i));
  for (int i = 0; i < 90; ++i) {
    t.lines.push_back({cell{.text = "measured"}, cell{.text = "NVIDIA H200 (a-run-with-a-long-name)"}});
    for (int column = 0; column < 20; ++column) t.lines.back().push_back(cell{.value = 1234.5});
  }
  const auto latex = to_latex(t);
  const auto count = [&](const std::string& part) {
    std::size_t n = 0;
    for (auto at = latex.find(part); at != std::string::npos; at = latex.find(part, at + 1)) ++n;
    return n;
  };
  CHECK(count("\\begin{table}") > 3);
  CHECK(count("\\label{") == 1);
  CHECK(count("\\addtocounter{table}{-1}") + 1 == count("\\begin{table}"));
  CHECK(count("1234") == 90 * 20);
}

TEST_CASE("what comes from files is escaped") {
  auto hostile = a_run({a_row("table1", "a", "cpu", "8x8", 1)});
  (*hostile.description)["devices"] = {{{"id", "cpu"}, {"name", "<script>|\n\\input{x}%$, \"y\""}}};

  const auto t = made(table1(), {}, {hostile});

  CHECK_THAT(to_markdown(t), ContainsSubstring("| &lt;script&gt;\\| \\\\input{x}%$, \"y\" |"));
  CHECK_THAT(to_csv(t), ContainsSubstring("measured,\"<script>| \\input{x}%$, \"\"y\"\"\",a,1\n"));
  CHECK_THAT(to_latex(t),
             ContainsSubstring("\\textless{}script\\textgreater{}\\textbar{} "
                               "\\textbackslash{}input\\{x\\}\\%\\$,\\allowbreak{} \\textquotedblright{}y"));
}

TEST_CASE("a figure has a series for each device and variant, with points in order") {
  const auto f = make_figure(figure21("width"), shown_rows({}, std::vector{a_run(measured_rows)}));

  CHECK(f.y_label == "time 1000 sweeps (s)");
  REQUIRE(f.lines.size() == 2);
  CHECK(f.lines[0].label == "NVIDIA H200, cuda_2d");
  REQUIRE(f.lines[0].points.size() == 2);
  CHECK(f.lines[0].points[0].x == 512);
  CHECK(f.lines[0].points[1].y == 2);
  CHECK(to_csv(f) ==
        "series,source,device,variant,x,y,q1,q3\n"
        "\"NVIDIA H200, cuda_2d\",measured,NVIDIA H200,cuda_2d,512,1,,\n"
        "\"NVIDIA H200, cuda_2d\",measured,NVIDIA H200,cuda_2d,1024,2,,\n"
        "\"EPYC, cpu_interleaved\",measured,EPYC,cpu_interleaved,512,9,,\n");
}

TEST_CASE("a figure shows the published rows of the table that it names") {
  auto shape = figure21("width");
  const std::vector runs{a_run(measured_rows)};
  const auto rows = shown_rows(paper_rows, runs);
  CHECK(make_figure(shape, rows).lines.size() == 2);
  shape.published_in = "jacobi/table1";
  const auto f = make_figure(shape, rows);
  REQUIRE(f.lines.size() == 3);
  CHECK(f.lines[0].label == "PH 280, cuda_2d (paper)");
  CHECK(f.lines[0].points.size() == 2);
}

TEST_CASE("a figure of several metrics has a panel for each") {
  auto shape = figure21("width");
  shape.metrics.emplace_back("speedup_over_cpu");
  shape.x_label = "width (nodes)";
  auto rows = measured_rows;
  rows.push_back(with_metric(a_row("fig21", "cuda_2d", "cuda:0", "512x1024", 9), "speedup_over_cpu", "1"));
  const std::vector runs{a_run(rows)};
  const auto f = make_figure(shape, shown_rows({}, runs));
  CHECK(f.has_own_scales);
  CHECK(f.y_label.empty());
  CHECK(f.x_label == "width (nodes)");
  REQUIRE(f.lines.size() == 3);
  CHECK(f.lines[0].panel == "time 1000 sweeps (s)");
  CHECK(f.lines[1].panel == "speedup over cpu");
  CHECK(f.lines[2].panel == "time 1000 sweeps (s)");
  shape.panel_by = "matrix";
  CHECK_THROWS_AS(make_figure(shape, {}), error);
}

TEST_CASE("a figure shows the cases for which the paper's tables print both of its metrics") {
  auto shape = figure21("parameter:time");
  shape.published_x = "time_1000_sweeps";
  shape.published_y = "speedup_over_cpu";
  shape.panel_by = "precision";
  auto printed = paper_rows;  // the speed-up of Table 3 has no time there
  printed.push_back(
      published(with_metric(a_row("table1", "cuda_2d", "PH 280", "508x1024", 7), "speedup_over_cpu", "1")));
  const auto f = make_figure(shape, shown_rows(printed, {}));
  REQUIRE(f.lines.size() == 1);
  CHECK(f.lines[0].panel == "single");
  REQUIRE(f.lines[0].points.size() == 1);
  CHECK(f.lines[0].points[0].x == 0.42);
  CHECK(f.lines[0].points[0].y == 7);
}

TEST_CASE("a figure's x may be the number of nodes or the variant") {
  const auto runs = std::vector{a_run(measured_rows)};

  CHECK(make_figure(figure21("nodes"), shown_rows({}, runs)).lines[0].points[0].x == 512 * 1024);
  const auto bars = make_figure(figure21("variant"), shown_rows({}, runs));
  CHECK(bars.has_bars);
  REQUIRE(bars.lines.size() == 3);
  CHECK(bars.lines[0].label == "NVIDIA H200, 1024x1024");
  CHECK(bars.lines[0].points[0].x_name == "cuda_2d");
  CHECK_THROWS_AS(make_figure(figure21("colour"), {}), error);
}

TEST_CASE("a figure's x may be a part of the parameter, and the other parts tell series apart") {
  std::vector<row> rows;
  for (const auto* parameter : {"model=a;dt=0.5", "dt=0.25;model=a", "model=b;dt=1e-3", "model=b; dt=2"}) {
    rows.push_back(a_row("fig21", "cpu", "cpu", "8x8", static_cast<double>(rows.size())));
    rows.back().parameter = parameter;
  }
  auto shape = figure21("parameter:dt");
  shape.log_x = true;

  const auto f = make_figure(shape, shown_rows({}, std::vector{a_run(rows)}));

  CHECK(f.x_label == "dt");
  CHECK(f.log_x);
  CHECK(to_csv(f) ==
        "series,source,device,variant,x,y,q1,q3\n"
        "\"EPYC, cpu, model=a\",measured,EPYC,cpu,0.25,1,,\n"
        "\"EPYC, cpu, model=a\",measured,EPYC,cpu,0.5,0,,\n"
        "\"EPYC, cpu, model=b\",measured,EPYC,cpu,0.001,2,,\n"
        "\"EPYC, cpu, model=b\",measured,EPYC,cpu,2,3,,\n");
}

TEST_CASE("points of a figure against a measured time are not joined") {
  auto r = a_row("fig21", "cpu", "cpu", "8x8", 1);
  r.parameter = "dt=1;time=2";
  const std::vector<run> runs{a_run({r})};

  CHECK(make_figure(figure21("parameter:time"), shown_rows({}, runs)).is_scatter);
  CHECK_FALSE(make_figure(figure21("parameter:dt"), shown_rows({}, runs)).is_scatter);
}

TEST_CASE("where colours are named each precision has a panel of its own") {
  std::vector<row> rows;
  for (const char* const precision : {"single", "double"}) {
    rows.push_back(a_row("fig21", "cpu", "cpu", "8x8", 1));
    rows.back().precision = precision;
    rows.back().parameter = "method=euler;dt=0.5";
  }
  auto shape = figure21("parameter:dt");
  shape.colour_by = "method";

  const auto f = make_figure(shape, shown_rows({}, std::vector{a_run(rows)}));

  REQUIRE(f.lines.size() == 2);
  CHECK(f.lines[0].panel == "single");
  CHECK(f.lines[1].panel == "double");
  CHECK(f.lines[1].label == "EPYC, cpu, double, euler");
  rows.pop_back();
  CHECK(make_figure(shape, shown_rows({}, std::vector{a_run(rows)})).lines[0].panel.empty());
}

TEST_CASE("what all series have of a parameter is not in their names, and sizes are told apart") {
  auto coarse = a_row("fig21", "cpu", "cpu", "8x8", 1);
  coarse.parameter = "model=a;dt=0.5";
  auto fine = coarse;
  fine.size = "16x16";
  fine.parameter = "model=a;dt=0.25";

  const auto f = make_figure(figure21("parameter:dt"), shown_rows({}, std::vector{a_run({coarse, fine})}));

  REQUIRE(f.lines.size() == 2);
  CHECK(f.lines[0].label == "EPYC, cpu, 8x8");
  CHECK(f.lines[1].label == "EPYC, cpu, 16x16");
}

TEST_CASE("a parameter without the number asked for has no place on a figure's axis") {
  std::vector<row> rows;
  for (const auto* parameter :
       {"", "dt", "dt=", "dt=fast", "dt=1ms", "dt=inf", "adt=1", "dtt=1", ";;=;", "a=dt=1"}) {
    rows.push_back(a_row("fig21", "cpu", "cpu", "8x8", 1));
    rows.back().parameter = parameter;
  }

  const auto f = make_figure(figure21("parameter:dt"), shown_rows({}, std::vector{a_run(rows)}));

  for (const auto& s : f.lines) CHECK(s.points.empty());
}

TEST_CASE("a layout that cannot be drawn is our mistake") {
  for (const auto* x : {"", "parameter", "parameter:", "parameter:a=b", "parameter:a;b", "Width"}) {
    INFO(x);
    CHECK_THROWS_AS(make_figure(figure21(x), {}), error);
  }
  auto bars = figure21("variant");
  bars.log_x = true;
  CHECK_THROWS_AS(make_figure(bars, {}), error);
  auto two = figure21("width");
  two.metrics.push_back("steps");
  two.panel_by = "matrix";
  CHECK_THROWS_AS(make_figure(two, {}), error);
}

TEST_CASE("a size without numbers has no place on a figure's axis") {
  const auto f = make_figure(figure21("nodes"),
                             shown_rows({}, std::vector{a_run({a_row("fig21", "a", "cpu", "8xlarge", 1),
                                                               a_row("fig21", "b", "cpu", "", 1)})}));

  for (const auto& s : f.lines) CHECK(s.points.empty());
}
