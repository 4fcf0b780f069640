// SPDX-License-Identifier: MIT
// Tests a run whose texts all try to break out of the page, table or folder that contains them.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "benchmarks/commands/draw.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/compare/speed.hpp"
#include "reports/page/report.hpp"
#include "reports/store/csv.hpp"
#include "verification/tests/support/made_up_field.hpp"
#include "verification/tests/support/made_up_run.hpp"
#include "verification/tests/support/source_dir.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
namespace fs = std::filesystem;

const std::string markup = "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'";
const std::string formula = "=HYPERLINK(\"http://x\")";
const std::string link = "[x](javascript:alert(3))|`*";
const std::string latex = "\\input{/etc/passwd}%$&#_^~";

row hostile(const std::string& size, const std::string& variant, const std::string& text) {
  row r;
  r.run = "../../escape" + text;
  r.experiment = "jacobi/table1";
  r.variant = "jacobi/" + variant;
  r.device = "cuda:0" + text;
  r.precision = "single";
  r.size = size;
  r.parameter = text;
  r.metric = "time_1000_sweeps";
  r.value = 1;
  r.unit = "s";
  r.q1 = r.q3 = r.value;
  r.samples = 1;
  r.status = "ok";
  r.reason = text;
  return r;
}

void write_report_of_hostile_run(const fs::path& folder) {
  std::vector<row> rows;
  std::vector<sample> samples;
  std::vector<field> fields;
  for (const auto& text :
       {markup, formula, link, latex, std::string("+1"), std::string("@x"), std::string("-1+1|cmd")}) {
    rows.push_back(hostile("508x1024", text, text));
    const auto& r = rows.back();
    samples.push_back({r, r.run, 0, 1});
    fields.push_back(field_of(r, "../" + text, 3, 3));
    rows.push_back(hostile("../../" + text, "/../" + text, text));
    rows.back().status = "failed";
    rows.back().value = no_value;
  }
  {
    nlohmann::json description = {{"name", "../../" + markup}, {"host", markup}, {"cpu", markup}};
    for (const auto& r : rows) description["devices"].push_back({{"id", r.device}, {"name", r.device}});
    auto open = run_folder::create(folder / "run", description);
    open.append(rows, samples, fields);
  }
  const auto claim = csv::line({"a", "", csv::field(formula), csv::field(markup), "shown", "-max({*@*})", "1",
                                csv::field(link), "", "", "", csv::field(markup), csv::field(formula)});
  report_request request = request_below(folder, claim, "## jacobi\n\n" + markup + "\n");
  request.out = folder / "out/report";
  request.runs = {read_run(folder / "run")};
  write_report(request);
}

std::vector<fs::path> files_below(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && (ending.empty() || entry.path().extension() == ending))
      files.push_back(entry.path());
  return files;
}

// The cells of a CSV line, without quotes.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells{""};
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

bool is_number(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("+-0123456789.e") == std::string::npos &&
         cell.find_first_of("0123456789") < 2;
}

}  // namespace

TEST_CASE(
    "hostile names in a run neither leave the report's folder nor become markup, formulas or commands") {
  const temporary_folder folder;
  write_report_of_hostile_run(folder.path());
  const auto out = folder / "out/report";
  benchmarks::draw(out, source_dir());

  for (const auto& entry : fs::directory_iterator(folder / "out")) CHECK(entry.path() == out);
  CHECK(files_below(folder.path(), "").size() ==
        files_below(out, "").size() + files_below(folder / "run", "").size() + 4);
  const auto pages = files_below(out, ".html");
  CHECK(pages.size() >= 4);  // the first one, the method's, a paper's and the one of its cases
  for (const auto& page : pages) {
    const auto text = text_in(page);
    INFO(page);
    CHECK(text.find("<script>alert") == std::string::npos);
    CHECK(text.find("<img") == std::string::npos);
    CHECK(text.find("href=\"javascript:") == std::string::npos);
  }
  for (const auto& table : files_below(out, ".md")) {
    const auto text = text_in(table);
    INFO(text);
    CHECK(text.find('<') == std::string::npos);
    CHECK(text.find("[x](") == std::string::npos);
  }
  for (const auto& table : files_below(out, ".tex"))
    CHECK(text_in(table).find("\\input") == std::string::npos);
}

TEST_CASE("no cell of a table for people begins like a formula") {
  const temporary_folder folder;
  write_report_of_hostile_run(folder.path());
  int cells = 0;
  for (const auto& file : files_below(folder / "out/report", ".csv")) {
    if (file.string().find("/rows/") != std::string::npos) continue;  // an exact copy of the data
    std::string text = text_in(file);
    for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
      for (const auto& cell : cells_of(text.substr(begin, text.find('\n', begin) - begin))) {
        INFO(file << ": " << cell);
        CHECK((cell.empty() || is_number(cell) ||
               std::string("=+-@\t").find(cell.front()) == std::string::npos));
        cells += cell.starts_with("'") ? 1 : 0;
      }
    }
  }
  CHECK(cells > 5);
}

TEST_CASE("no cell of a comparison for people begins like a formula, and numbers stay numbers") {
  const temporary_folder folder;
  const std::vector<table> tables{{.id = "g",
                                   .title = "title",
                                   .columns = {"=head"},
                                   .lines = {{{"=cmd|' /C calc'!A0"}, {"-3.5"}, {"+1+1"}, {"@x"}}}}};
  speed_comparison speed;
  speed.results = {{.of = {"-device", "=experiment", "v", "single", "1x1", "+p=1", "time"},
                    .change = speed_change::undecided,
                    .a_seconds = 1,
                    .b_seconds = 2,
                    .floor = {.source = "@source"},
                    .reason = "=reason"}};

  write_tables(folder.path(), tables);

  CHECK(text_in(folder / "g.csv") == "'=head\n'=cmd|' /C calc'!A0,-3.5,'+1+1,'@x\n");
  const auto line = to_csv(speed).substr(to_csv(speed).find('\n') + 1);
  int guarded = 0;
  for (const auto& cell : cells_of(line)) {
    INFO(cell);
    CHECK((cell.empty() || std::string("=+-@").find(cell.front()) == std::string::npos));
    guarded += cell.starts_with("'") ? 1 : 0;
  }
  CHECK(guarded == 5);
}
