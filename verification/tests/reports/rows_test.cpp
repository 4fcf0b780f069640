// SPDX-License-Identifier: MIT
// Tests rows on disk: they read back as written, and damaged ones are refused with file and line.
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "reports/store/csv.hpp"
#include "reports/store/files.hpp"
#include "reports/store/row.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

row a_row() {
  row r;
  r.run = "a";
  r.experiment = "jacobi/table1";
  r.variant = "jacobi/cuda_2d";
  r.device = "cuda:0";
  r.precision = "single";
  r.size = "512x1024";
  r.metric = "time_1000_sweeps";
  r.value = 0.1;
  r.unit = "s";
  r.q1 = 0.09;
  r.q3 = 0.3;
  r.samples = 10;
  r.status = "ok";
  return r;
}

row read_back(const row& r) {
  const auto text = row_header() + to_csv(std::span(&r, 1));
  const auto rows = parse_rows("rows.csv", text);
  REQUIRE(rows.size() == 1);
  return rows.front();
}

std::string complaint_about(const std::string& lines) {
  return complaint_of<bad_input>([&] { parse_rows("some/rows.csv", lines); });
}

}  // namespace

TEST_CASE("a row reads back as it was written") {
  const auto there = a_row();

  const auto back = read_back(there);

  CHECK(back.run == there.run);
  CHECK(back.experiment == there.experiment);
  CHECK(back.variant == there.variant);
  CHECK(back.device == there.device);
  CHECK(back.precision == there.precision);
  CHECK(back.size == there.size);
  CHECK(back.parameter == there.parameter);
  CHECK(back.metric == there.metric);
  CHECK(back.value == there.value);
  CHECK(back.unit == there.unit);
  CHECK(back.q1 == there.q1);
  CHECK(back.q3 == there.q3);
  CHECK(back.samples == there.samples);
  CHECK(back.status == there.status);
  CHECK(back.reason == there.reason);
}

TEST_CASE("a sample reads back as it was written") {
  const sample there{{{"jacobi/fig1", "jacobi/x", "cpu", "double", "9", "dt=1,2"}, "time"}, "a", 7, 1e-300};

  const auto samples = parse_samples("samples.csv", sample_header() + to_csv(std::span(&there, 1)));

  REQUIRE(samples.size() == 1);
  CHECK(samples[0].parameter == "dt=1,2");
  CHECK(samples[0].index == 7);
  CHECK(samples[0].value == 1e-300);
}

TEST_CASE("numbers round-trip bit by bit") {
  const double value =
      GENERATE(0.1, 1.0 / 3, 1e-310, -0.0, 123456789.123456789, 1e300, std::numeric_limits<double>::max(),
               std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::infinity());
  auto r = a_row();
  r.value = value;

  const auto back = read_back(r).value;

  CHECK(back == value);
  CHECK(std::signbit(back) == std::signbit(value));
}

TEST_CASE("a number that is not there is an empty field") {
  auto r = a_row();
  r.value = no_value;

  CHECK_THAT(to_csv(std::span(&r, 1)), ContainsSubstring("time_1000_sweeps,,s,"));
  CHECK(std::isnan(read_back(r).value));
}

TEST_CASE("texts keep commas, quotes and blanks at their ends") {
  const std::string text = GENERATE(R"(a,b)", R"(")", R"("")", R"("quoted", and more)", R"(x"y)", " both ",
                                    "\t", "", "grün – µ", R"(a\b)", "'");
  auto r = a_row();
  r.reason = text;
  r.device = text;

  const auto back = read_back(r);

  CHECK(back.reason == text);
  CHECK(back.device == text);
}

TEST_CASE("a line break within a text becomes a blank") {
  auto r = a_row();
  r.reason = "first\nsecond\r\nthird";

  CHECK(read_back(r).reason == "first second  third");
}

TEST_CASE("damage is refused with file and line") {
  const auto good = to_csv(std::vector<row>{a_row()});
  const auto edited = [&](const std::string& from, const std::string& to) {
    auto line = good;
    return row_header() + good + line.replace(line.find(from), from.size(), to);
  };

  CHECK_THAT(complaint_about(edited("0.1", "fast")),
             ContainsSubstring("some/rows.csv, line 3: \"fast\" in column value"));
  CHECK_THAT(complaint_about(edited("0.1", "0.1s")), ContainsSubstring("line 3"));
  CHECK_THAT(complaint_about(edited(",10,", ",1.5,")), ContainsSubstring("samples"));
  CHECK_THAT(complaint_about(edited(",ok,", ",fine,")), ContainsSubstring("status \"fine\""));
  CHECK_THAT(complaint_about(edited(",ok,", ",ok,,")), ContainsSubstring("Too many columns in line 3"));
  CHECK_THAT(complaint_about(edited(",ok,", "ok,")), ContainsSubstring("Too few columns in line 3"));
  CHECK_THAT(complaint_about(edited("cuda:0", "\"cuda:0")), ContainsSubstring("not closed in line 3"));
  CHECK_THAT(complaint_about(edited("cuda:0", std::string("cu\0da", 5))),
             ContainsSubstring("line 3: holds a zero byte"));
}

TEST_CASE("other columns than a row's are refused") {
  CHECK_THAT(complaint_about("run,experiment\n"), ContainsSubstring("Missing column"));
  CHECK_THAT(complaint_about("more," + row_header()), ContainsSubstring("Extra column \"more\""));
  CHECK_THAT(complaint_about(""), ContainsSubstring("Header missing"));
}

TEST_CASE("columns are found by name, in any order") {
  const std::string text =
      "value,run,experiment,variant,device,precision,size,parameter,metric,unit,q1,q3,samples,status,"
      "reason\r\n"
      "8.658,published,jacobi/table1,jacobi/cuda_simple,PH 280,single,508x1024,,time,s,,,0,published,\"Table "
      "1, row 2\"";

  const auto rows = parse_rows("published.csv", text);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].value == 8.658);
  CHECK(rows[0].reason == "Table 1, row 2");
}

TEST_CASE("a file of rows must be a file") {
  const temporary_folder folder;

  CHECK_THAT(complaint_of<bad_input>([&] { read_rows(folder / "none.csv"); }),
             ContainsSubstring("no such file"));
  CHECK_THAT(complaint_of<bad_input>([&] { read_rows(folder.path()); }),
             ContainsSubstring("not a regular file"));
}

TEST_CASE("a name from a file cannot lead out of a folder") {
  CHECK(safe_name("../../etc/passwd") == "_._.._etc_passwd");
  CHECK(safe_name("..") == "_.");
  CHECK(safe_name("") == "_");
  CHECK(safe_name("h200 quick") == "h200_quick");
  CHECK(safe_name(std::string(5000, 'a')).size() == 100);
}
