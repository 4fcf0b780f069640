// SPDX-License-Identifier: MIT
// Tests the report: its files for a small generated run, and when it refuses to write.
#include "reports/page/report.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "reports/page/paper.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_field.hpp"
#include "verification/tests/support/made_up_run.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
using texts = std::vector<std::string>;
namespace fs = std::filesystem;

// A complete request, with all files in a temporary folder.
class prepared {
 public:
  prepared() {
    request =
        request_below(folder_.path(),
                      "fast,1,Table 3,\"Fast, it "
                      "says\",conclusion,{cuda_2d@1024x1024:speedup_over_cpu},78.74,times,about,beats,"
                      "no longer,,because\n"
                      "texture,,Table 1,x,conclusion,{cuda_texture@508x1024},1,s,beats,,no longer,run it,\n",
                      "# All\n\n## jacobi\n\nWe chose.\n\n## tissue\n\nOther.\n");
    write_run("here");
    request.runs = {read_run(folder_ / "here")};
  }

  void write_run(const std::string& name) const {
    auto open = run_folder::create(folder_ / name, description);
    auto rows = measured_rows;
    auto& r = rows.front();
    r.q1 = r.q3 = 12;
    r.samples = 1;
    open.append(rows, std::vector<sample>{{r, r.run, 0, 12}});
  }
  fs::path operator/(std::string_view name) const { return folder_ / name; }
  nlohmann::json report() const { return nlohmann::json::parse(text_in(folder_ / "out/report.json")); }
  std::string refusal() const {
    return complaint_of<bad_input>([&] { write_report(request); });
  }

  report_request request;

 private:
  temporary_folder folder_;
};

layout figure1(layout::field_drawing drawing) {
  layout l;
  l.id = drawing == layout::field_drawing::surface ? "jacobi/fig1" : "jacobi/fig2";
  l.title = "Figure 1 & <2>";
  l.note = "Made up.";
  l.shape = layout::kind::fields;
  l.columns = {"t=0", "t=1", "<b>&\"t\"=2</b>", "t=3"};
  l.drawing = drawing;
  l.quantity = "u (mV)";
  return l;
}

// Adds two figures of fields to a request, and a run from disk with two lines of four fields for each figure.
void add_fields(report_request& request, const fs::path& folder, int nodes) {
  auto open = run_folder::create(folder, description);
  for (const auto drawing : {layout::field_drawing::surface, layout::field_drawing::colour_map}) {
    const auto shape = figure1(drawing);
    for (const auto* device : {"cuda:0", "cpu"}) {
      const auto r = a_row(std::string(short_name(shape.id)), "cpu_<i>&", device, "97x97", 1);
      std::vector<field> fields;
      for (const auto& name : shape.columns) fields.push_back(field_of(r, name, nodes, nodes));
      open.append(std::vector{r}, {}, fields);
    }
    request.families[0].items.push_back(shape);
  }
  request.runs = {read_run(folder)};
}

std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files[fs::relative(entry.path(), folder).string()] = text_in(entry.path());
  }
  return files;
}

}  // namespace

TEST_CASE("a section of assumptions ends at the next heading of its rank") {
  const std::string text =
      "# Page\n## jacobians\nno\n## `jacobi`: OpenGL\na\n### more\n```\n# not a heading\n```\nb\n## "
      "tissue\nc";

  CHECK(section_of(text, "jacobi") == "a\n### more\n```\n# not a heading\n```\nb\n");
  CHECK(section_of(text, "tissue") == "c");
  CHECK(section_of(text, "atrium").empty());
  CHECK(section_of("", "atrium").empty());
}

TEST_CASE("a report has every table, figure, verdict and row") {
  const prepared p;

  write_report(p.request);

  const auto files = files_below(p / "out");
  texts names;
  for (const auto& [name, text] : files) names.push_back(name);
  CHECK(names == texts{"figures/jacobi_fig21.csv", "report.json", "rows/here/rows.csv",
                       "rows/here/samples.csv", "tables/device_1_nearest.csv", "tables/device_1_nearest.md",
                       "tables/device_1_nearest.tex", "tables/device_2_nearest.csv",
                       "tables/device_2_nearest.md", "tables/device_2_nearest.tex",
                       "tables/jacobi_table1.csv", "tables/jacobi_table1.md", "tables/jacobi_table1.tex",
                       "tables/jacobi_table3.csv", "tables/jacobi_table3.md", "tables/jacobi_table3.tex",
                       "verdicts.csv"});
  CHECK(files.at("rows/here/rows.csv") == text_in(p / "here/rows.csv"));
  CHECK(files.at("rows/here/samples.csv") == text_in(p / "here/samples.csv"));
  CHECK(
      files.at("verdicts.csv") ==
      "family,id,headline,place,claim,class,quantity,published,measured,low,high,unit,bound,verdict,basis,"
      "reason,takes\n"
      "jacobi,fast,1,Table 3,\"Fast, it says\",conclusion,{cuda_2d@1024x1024:speedup_over_cpu},78.74,972,972,"
      "972,times,about,holds in part,table3 cuda_2d@1024x1024:speedup_over_cpu cuda:0,because,\n"
      "jacobi,texture,0,Table 1,x,conclusion,{cuda_texture@508x1024},1,,,,s,beats,undecided,,"
      "cuda_texture@508x1024: skipped: no CUDA device,run it\n");
}

TEST_CASE("report.json has what the page shows") {
  const prepared p;

  write_report(p.request);

  const auto report = p.report();
  CHECK(report["schema"] == 1);
  CHECK(report["runs"][0]["name"] == "here");
  CHECK(report["runs"][0]["host"] == "h");
  CHECK(report["runs"][0]["cpu"] == "");
  CHECK(report["runs"][0]["rows_file"] == "rows/here/rows.csv");
  CHECK(report["summary"]["conclusion"] == nlohmann::json{{"holds in part", 1}, {"undecided", 1}});
  CHECK(report["summary"]["number"].empty());
  const auto& paper = report["papers"][0];
  CHECK(paper["word"] == "jacobi");
  CHECK(paper["assumptions"] == "\nWe chose.\n\n");
  CHECK(paper["items"][0]["columns"] == texts{"source", "device", "variant", "508x1024", "1024x1024"});
  CHECK(paper["items"][0]["lines"][0] == nlohmann::json{"published", "PH 280", "cuda_2d", 0.42, 0.9});
  CHECK(paper["items"][0]["lines"][1] ==
        nlohmann::json{"measured",
                       "NVIDIA H200",
                       "cuda_2d",
                       {{"value", 0.0123456}, {"page", "rows/here/cases/jacobi_table1.html#case-2"}},
                       "–"});
  CHECK(paper["claims"][0]["cases"] == texts{"rows/here/cases/jacobi_table3.html#case-4"});
  CHECK(paper["items"][2]["kind"] == "figure");
  CHECK(paper["items"][2]["figure"]["kind"] == "line");
  CHECK(paper["items"][2]["figure"]["series"][0]["x"] == std::vector{512, 1024});
  CHECK(paper["items"][2]["figure"]["series"][0]["q1"] == std::vector<nlohmann::json>{nullptr, nullptr});
  CHECK(paper["claims"][1]["measured"] == nullptr);
  CHECK(paper["claims"][0]["basis"] == texts{"table3 cuda_2d@1024x1024:speedup_over_cpu cuda:0"});
  CHECK(paper["not_run"] == nlohmann::json{{{"variant", "cuda_2d"},
                                            {"id", "cuda_2d"},
                                            {"device", "NVIDIA H200"},
                                            {"status", "failed"},
                                            {"reason", "max error 3"}},
                                           {{"variant", "cuda_texture"},
                                            {"id", "cuda_texture"},
                                            {"device", ""},
                                            {"status", "skipped"},
                                            {"reason", "no CUDA device"}}});
}

TEST_CASE("a report has the derived cells of a paper that has some") {
  prepared p;
  fs::create_directory(p / "derived");
  put(p / "derived/jacobi.csv",
      "id,place,quantity,printed,rounding,reason\n"
      "follows,Table "
      "1,\"{cuda_2d@1024x1024,source=published}/{cuda_2d@508x1024,source=published}\",2.1,0.05,x\n"
      "wrong,Table "
      "1,\"{cuda_2d@1024x1024,source=published}/{cuda_2d@508x1024,source=published}\",3.1,0.05,x\n");
  p.request.derived_dir = p / "derived";

  write_report(p.request);

  const auto derived = p.report()["papers"][0]["derived"];
  REQUIRE(derived.size() == 2);
  CHECK(derived[0]["agrees"] == true);
  CHECK(derived[1]["agrees"] == false);
  CHECK(derived[1]["arithmetic"] == "0.9/0.42");
}

TEST_CASE("report.json has the fields, and the report keeps their files") {
  prepared p;
  add_fields(p.request, p / "with_fields", 200);

  write_report(p.request);

  const auto report = p.report();
  const auto& item = report["papers"][0]["items"][3];
  CHECK(item["kind"] == "fields");
  CHECK(item["title"] == "Figure 1 & <2>");
  CHECK(item["reason"] == "");
  CHECK(item["fields"]["drawing"] == "surface");
  CHECK(item["fields"]["quantity"] == "u (mV)");
  CHECK(item["fields"]["names"] == texts{"t=0", "t=1", "<b>&\"t\"=2</b>", "t=3"});
  CHECK(item["fields"]["left_out"] == texts{});
  const auto& line = item["fields"]["lines"][0];
  CHECK(line["label"] == "NVIDIA H200, cpu_<i>&");
  REQUIRE(line["panels"].size() == 4);
  const auto& panel = line["panels"][1];
  CHECK(panel["name"] == "t=1");
  CHECK(panel["nx"] == 67);  // every third of 200
  CHECK(panel["x0"] == -4);
  REQUIRE(panel["values"].size() == 67);
  CHECK_THAT(panel["values"][0].get<std::string>(), ContainsSubstring("0.7568 0.6727 0.5788 "));
  CHECK(report["papers"][0]["items"][4]["fields"]["drawing"] == "colour map");

  const auto written = files_below(p / "out/rows/with_fields/fields");
  CHECK(written.size() == 16);
  CHECK(written == files_below(p / "with_fields/fields"));
}

TEST_CASE("an item of fields without any has the reason") {
  prepared p;
  p.request.families[0].items.push_back(figure1(layout::field_drawing::surface));
  p.request.runs[0].rows.push_back(without_value(a_row("fig1", "cuda", "", "", 0), "skipped", "no GPU here"));

  write_report(p.request);

  const auto item = p.report()["papers"][0]["items"][3];
  CHECK(item["reason"] == "no GPU here");
  CHECK(item["fields"]["lines"].empty());
}

// Not a test of its own: page_test.py runs it to make a page for the browser.
TEST_CASE("a made-up report with fields", "[.page]") {
  const char* const out = std::getenv("REPRISE_MADE_UP_REPORT");
  if (out == nullptr) SKIP("REPRISE_MADE_UP_REPORT names no folder");
  prepared p;
  add_fields(p.request, p / "with_fields", 97);
  p.request.out = out;
  auto& items = p.request.families[0].items;
  auto none = figure1(layout::field_drawing::surface);
  none.id = "jacobi/fig3";
  items.push_back(none);
  auto swept = figure21("parameter:dt");
  swept.id = "jacobi/fig4";
  swept.log_x = true;
  items.push_back(swept);
  auto& rows = p.request.runs[0].rows;
  rows.push_back(without_value(a_row("fig3", "cuda", "", "", 0), "skipped", "<script>no</script> GPU here"));
  for (const double dt : {0.4, 0.2, 0.1}) {
    rows.push_back(a_row("fig4", "cpu", "cpu", "8x8", dt * dt));
    rows.back().parameter = "dt=" + std::to_string(dt);
  }
  write_report(p.request);
}

TEST_CASE("the most telling lines are wrong answers, then the decided headlines of each paper") {
  prepared p;

  write_report(p.request);
  CHECK(p.report()["highlights"] ==
        texts{"1 row failed for a wrong answer. jacobi: cuda_2d on NVIDIA H200 at 1024x1024: max error 3",
              "jacobi, holds in part: Fast, it says (972 times; the paper: 78.74)"});

  p.request.runs.clear();
  write_report(p.request);
  CHECK(p.report()["highlights"] == texts{"Of 2 conclusions: 2 undecided.",
                                          "Numbers measured: 0, on 0 devices.",
                                          "Variants without a number, each with its reason: 0."});
}

TEST_CASE("the same report is the same bytes") {
  prepared p;
  write_report(p.request);
  const auto once = files_below(p / "out");

  p.request.out = p / "again";
  write_report(p.request);

  CHECK(files_below(p / "again") == once);
}

TEST_CASE("an earlier report is overwritten without leftovers") {
  prepared p;
  write_report(p.request);
  put(p / "out/index.html", "the page");
  p.request.families[0].items = {table3()};

  write_report(p.request);

  CHECK_FALSE(fs::exists(p / "out/tables/jacobi_table1.md"));
  CHECK(fs::exists(p / "out/tables/jacobi_table3.md"));
  CHECK(fs::exists(p / "out/index.html"));
}

TEST_CASE("a report does not go where something else is") {
  prepared p;
  fs::create_directory(p / "out");

  SECTION("a folder with other things") {
    put(p / "out/thesis.tex", "");
    CHECK_THAT(p.refusal(), ContainsSubstring("is not empty and no earlier report"));
    CHECK(files_below(p / "out").size() == 1);
  }
  SECTION("a report.json that is none") {
    put(p / "out/report.json", "[]");
    CHECK_THAT(p.refusal(), ContainsSubstring("no earlier report"));
  }
  SECTION("a file") {
    p.request.out = p / "assumptions.md";
    CHECK_THAT(p.refusal(), ContainsSubstring("is a file"));
  }
  SECTION("below a file") {
    p.request.out = p / "assumptions.md/out";
    CHECK_THAT(p.refusal(), ContainsSubstring("choose another folder"));
  }
  SECTION("an earlier report that holds the run") {
    write_report(p.request);
    p.write_run("out/rows/mine");
    p.request.runs = {read_run(p / "out/rows/mine")};
    CHECK_THAT(p.refusal(), ContainsSubstring("lies inside the report's folder"));
    CHECK(fs::exists(p / "out/rows/mine/run.json"));
  }
}

TEST_CASE("bad input leaves no half a report") {
  prepared p;

  SECTION("claims") {
    put(p / "claims/jacobi.csv", "id\n");
  }
  SECTION("bounds") {
    fs::remove(p / "claims/bounds.csv");
  }
  SECTION("published rows") {
    fs::remove(p / "published/jacobi.csv");
  }
  SECTION("assumptions") {
    fs::remove(p / "assumptions.md");
  }

  CHECK_FALSE(p.refusal().empty());
  CHECK_FALSE(fs::exists(p / "out"));
}

TEST_CASE("a run's name cannot lead out of the report") {
  prepared p;
  (*p.request.runs[0].description)["name"] = "../../evil";
  p.request.runs[0].folder = p / "..<evil>";
  p.request.runs.push_back(p.request.runs[0]);

  write_report(p.request);

  CHECK(fs::exists(p / "out/rows/_._evil_/rows.csv"));
  CHECK(fs::exists(p / "out/rows/_._evil_-2/rows.csv"));
  CHECK_FALSE(fs::exists(p / "evil"));
}

TEST_CASE("a description of other types than expected does no harm") {
  prepared p;
  *p.request.runs[0].description = {{"name", 3},
                                    {"devices", {1, "x", {{"id", 4}, {"name", nullptr}}, {{"id", "cuda:0"}}}},
                                    {"cpu", {1, 2}}};

  write_report(p.request);

  CHECK(p.report()["runs"][0]["name"] == "here");
  CHECK(p.report()["papers"][0]["items"][0]["lines"][2][1] == "cuda:0");
}
