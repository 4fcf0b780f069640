// SPDX-License-Identifier: MIT
// Tests the accuracy baseline: what it keeps of a run, what it accepts, and what it reports as a regression.
#include "reports/accuracy/text.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_run.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

row found(const std::string& metric, double value, const std::string& variant = "cpu_serial",
          const std::string& precision = "double", const std::string& device = "cpu") {
  auto r = with_metric(a_row("table2", variant, device, "32x32", value), metric, "1");
  r.precision = precision;
  return r;
}

run finished(const std::vector<row>& rows) {
  auto r = a_run(rows);
  (*r.description)["finished"] = "2026-01-31T12:00:00Z";
  return r;
}

// One value of each kind, in both precisions, for two variants.
std::vector<row> right_answers() {
  std::vector<row> rows;
  for (const std::string precision : {"single", "double"}) {
    for (const std::string variant : {"cpu_serial", "openmp"}) {
      const double rounding = precision == "single" ? 3e-7 : 4e-16;
      rows.push_back(found("order", 3.97, variant, precision));
      rows.push_back(found("error_l2", 1.25e-3, variant, precision));
      rows.push_back(found("max_relative_error", rounding, variant, precision));
      rows.push_back(found("accepted_steps", 412, variant, precision));
      rows.push_back(found("area_end", 2.71828, variant, precision));
      rows.push_back(with_metric(found("time_solve", 0.5, variant, precision), "time_solve", "s"));
    }
  }
  return rows;
}

const std::vector<baseline_entry> kept = make_baseline(finished(right_answers()));

std::vector<baseline_result> checked(const std::vector<row>& rows) {
  return check_baseline(kept, finished(rows));
}

bool is_red(const std::vector<row>& rows) {
  const auto results = checked(rows);
  return std::any_of(results.begin(), results.end(), [](const auto& f) { return is_regression(f.outcome); });
}

std::size_t count(const std::vector<baseline_result>& results, baseline_outcome outcome) {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [&](const auto& f) { return f.outcome == outcome; }));
}

// The right answers with one value changed.
std::vector<row> with_changed(const std::string& metric, double factor) {
  auto rows = right_answers();
  const auto first = std::find_if(rows.begin(), rows.end(), [&](const row& r) { return r.metric == metric; });
  first->value *= factor;
  return rows;
}

std::string complaint_about(std::string_view text) {
  const temporary_folder folder;
  put(folder / "baseline.csv", text);
  return complaint_of<bad_input>([&] { read_baseline(folder / "baseline.csv"); });
}

constexpr auto header = "experiment,variant,backend,precision,size,parameter,metric,value,unit\n";

}  // namespace

TEST_CASE("a baseline holds how right answers are, and no times") {
  CHECK(std::none_of(kept.begin(), kept.end(), [](const auto& e) { return e.unit == "s"; }));
  // Five values of two variants in two precisions, and the agreement of three of the five.
  CHECK(kept.size() == 2 * (2 * 5 + 3));
}

TEST_CASE("a baseline read back holds the run that it was made of") {
  const temporary_folder folder;
  put(folder / "baseline.csv", to_csv(kept));

  const auto results = check_baseline(read_baseline(folder / "baseline.csv"), finished(right_answers()));

  CHECK(results.size() == kept.size());
  CHECK(count(results, baseline_outcome::held) == kept.size());
}

TEST_CASE("another machine's rounding does not turn a baseline red") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> roundings(-16, 16);
  std::uniform_real_distribution<double> size_of_rounding(.4, 2.5);
  std::uniform_int_distribution<int> flipped(-1, 1);
  for (int machine = 0; machine < 200; ++machine) {
    auto rows = right_answers();
    for (auto& r : rows) {
      const double epsilon = r.precision == "single" ? std::numeric_limits<float>::epsilon()
                                                     : std::numeric_limits<double>::epsilon();
      if (r.metric == "max_relative_error") {
        r.value *= size_of_rounding(random);
      } else if (r.metric == "accepted_steps") {
        r.value += flipped(random);
      } else {
        r.value *= 1 + roundings(random) * epsilon;
      }
    }
    CHECK_FALSE(is_red(rows));
  }
}

TEST_CASE("a lost order, a larger error, other steps and another solution turn a baseline red") {
  for (const char* const metric : {"order", "error_l2", "max_relative_error", "accepted_steps", "area_end"})
    for (const double lost : {std::nan(""), HUGE_VAL}) CHECK(is_red(with_changed(metric, lost)));
  CHECK(is_red(with_changed("order", .97)));
  CHECK(is_red(with_changed("error_l2", 1.05)));
  CHECK(is_red(with_changed("max_relative_error", 1000)));
  CHECK(is_red(with_changed("accepted_steps", 1.03)));
  CHECK(is_red(with_changed("accepted_steps", .97)));
  CHECK(is_red(with_changed("area_end", 1.002)));
  CHECK(is_red(with_changed("area_end", .998)));
}

TEST_CASE("errors of steps at the limit of stability may double, those of other steps may not") {
  const auto is_held = [](const std::string& parameter, double factor) {
    auto rrms = found("rrms", .02);
    rrms.parameter = parameter;
    const auto baseline = make_baseline(finished({rrms}));
    rrms.value *= factor;
    return !is_regression(check_baseline(baseline, finished({rrms})).front().outcome);
  };
  CHECK(is_held("method=fehlberg;gates=plain;at=1;rt=0", 1.7));
  CHECK_FALSE(is_held("method=fehlberg;gates=plain;at=1;rt=0", 2.1));
  CHECK_FALSE(is_held("method=fehlberg;at=1;rt=0", 1.7));
  CHECK_FALSE(is_held("method=euler;gates=plain;dt=0.01", 1.7));
}

TEST_CASE("as many rejected steps as a fiftieth of all attempts may be accepted instead") {
  const auto is_held = [](double rejected) {
    const auto of = [](double count) {
      return std::vector{found("attempted_steps", 1000), found("rejected_steps", count)};
    };
    const auto results = check_baseline(make_baseline(finished(of(110))), finished(of(rejected)));
    return std::ranges::none_of(results, [](const auto& f) { return is_regression(f.outcome); });
  };
  CHECK(is_held(129));
  CHECK(is_held(91));
  CHECK_FALSE(is_held(131));
  CHECK_FALSE(is_held(89));
}

TEST_CASE("no baseline is made of two experiments that give one case two values") {
  auto other = found("error_l2", 1.3e-3);
  other.experiment = "curvature/table3";
  CHECK_THROWS_WITH(make_baseline(finished({found("error_l2", 1.25e-3), other})),
                    ContainsSubstring("needs a parameter that tells them apart"));
  other.value = 1.26e-3;
  CHECK_NOTHROW(make_baseline(finished({found("error_l2", 1.25e-3), other})));
}

TEST_CASE("a smaller error and a higher order are better, where variants still agree") {
  auto rows = right_answers();
  for (auto& r : rows) {
    if (r.metric == "error_l2") r.value *= .9;
    if (r.metric == "order") r.value += .1;
  }
  const auto results = checked(rows);

  CHECK_FALSE(is_red(rows));
  CHECK(count(results, baseline_outcome::better) == 8);
}

TEST_CASE("a number that is no longer there turns a baseline red, unless the run says why") {
  auto rows = right_answers();
  std::erase_if(rows, [](const row& r) { return r.variant == "jacobi/openmp"; });
  CHECK(is_red(rows));

  auto skipped = without_value(found("time_solve", 0, "openmp"), "skipped", "no OpenMP here");
  skipped.precision = skipped.size = skipped.device = "";
  rows.push_back(skipped);
  CHECK_FALSE(is_red(rows));
  CHECK_THAT(to_text(checked(rows)), ContainsSubstring("10 numbers, no OpenMP here"));
}

TEST_CASE("a number computed from cases that could not run is not missed") {
  auto order = found("order", 2, "gone");
  order.parameter = "method=euler";
  const auto baseline = make_baseline(finished({found("error_l2", 1e-3), order}));
  auto skipped = without_value(found("error_u", 0, "gone"), "skipped", "no device");
  skipped.parameter = "method=euler;dt=0.1";
  const std::vector rows{found("error_l2", 1e-3), skipped};
  CHECK(check_baseline(baseline, finished(rows)).back().outcome == baseline_outcome::not_run);
  const std::vector more{rows[0], rows[1], found("error_u", 1, "gone")};
  CHECK(check_baseline(baseline, finished(more)).back().outcome == baseline_outcome::missing);
}

TEST_CASE("a number of an experiment that the run was not asked for is not missed") {
  auto partial = finished({found("error_l2", 1e-3)});
  const auto baseline = make_baseline(finished({found("error_l2", 1e-3), found("order", 2, "other")}));
  (*partial.description)["request"] = {{"experiments", {"jacobi/table9", "tab*2"}}};
  CHECK(check_baseline(baseline, partial).back().outcome == baseline_outcome::missing);
  (*partial.description)["request"] = {{"experiments", {"jacobi/table9"}}};
  CHECK(check_baseline(baseline, partial).back().outcome == baseline_outcome::not_run);
}

TEST_CASE("a wrong answer turns a baseline red, also one of a variant that it does not know") {
  auto rows = right_answers();
  rows.push_back(without_value(found("time_solve", 0, "fresh"), "failed", "max error 3"));

  CHECK(is_red(rows));
  CHECK_THAT(to_text(checked(rows)), ContainsSubstring("max error 3"));
}

TEST_CASE("a variant that the baseline does not know has to agree with the others") {
  auto rows = right_answers();
  rows.push_back(found("error_l2", 1.27e-3, "fresh"));
  CHECK_FALSE(is_red(rows));

  rows.back().value = 1.4e-3;
  CHECK(is_red(rows));
}

TEST_CASE("a device is held by its backend, and the worst of several devices counts") {
  const auto baseline = make_baseline(finished({found("error_l2", 1e-3, "opencl_a", "double", "opencl:0")}));
  auto rows = std::vector{found("error_l2", 1e-3, "opencl_a", "double", "opencl:3")};
  CHECK(check_baseline(baseline, finished(rows)).front().outcome == baseline_outcome::held);

  rows.push_back(found("error_l2", 2e-3, "opencl_a", "double", "opencl:4"));
  CHECK(check_baseline(baseline, finished(rows)).front().outcome == baseline_outcome::worse);
}

TEST_CASE("no baseline is made of an interrupted run, of wrong answers, or of nothing") {
  const auto complaint = [](const run& r) { return complaint_of<bad_input>([&] { make_baseline(r); }); };
  CHECK_THAT(complaint(a_run(right_answers())), ContainsSubstring("--resume"));
  auto rows = right_answers();
  rows.push_back(without_value(found("time_solve", 0), "failed", "max error 3"));
  CHECK_THAT(complaint(finished(rows)), ContainsSubstring("max error 3"));
  CHECK_THAT(complaint(finished({found("time_solve", 1)})), ContainsSubstring("no order"));
}

TEST_CASE("a program of changed sources makes no baseline") {
  auto r = finished(right_answers());
  (*r.description)["git"] = "0123456789ab-dirty";
  CHECK_THAT(complaint_of<bad_input>([&] { make_baseline(r); }), ContainsSubstring("0123456789ab-dirty"));
}

TEST_CASE("a run without a device of the baseline's did not run what needs it") {
  const auto baseline = make_baseline(finished({found("error_l2", 1e-3, "opencl_a", "double", "cuda:0"),
                                                found("error_l2", 1e-3, "opencl_a", "double", "cpu")}));
  const auto results =
      check_baseline(baseline, finished({found("error_l2", 1e-3, "opencl_a", "double", "cpu")}));

  for (const auto& f : results) {
    INFO(f.expected.device.str() << " " << f.expected.metric.str());
    CHECK_FALSE(is_regression(f.outcome));
    if (f.expected.device == "cuda") CHECK(f.outcome == baseline_outcome::not_run);
  }
}

TEST_CASE("the summary lists a line for each number that it counts as wrong") {
  auto rows = right_answers();
  const auto baseline = make_baseline(finished(rows));
  const auto variant = rows.front().variant;
  std::erase_if(rows, [&](const row& r) { return r.variant == variant; });
  rows.push_back(without_value(found("time_solve", 0), "failed", "max error 3"));
  rows.back().variant = variant;
  const auto results = check_baseline(baseline, finished(rows));
  const auto text = to_text(results);

  std::size_t lines = 0;
  for (auto at = text.find("wrong    "); at != std::string::npos; at = text.find("wrong    ", at + 1))
    ++lines;
  CHECK(static_cast<std::ptrdiff_t>(lines) ==
        std::ranges::count(results, baseline_outcome::wrong, &baseline_result::outcome));
}

TEST_CASE("a run that has nothing of the baseline is refused") {
  CHECK_THAT(complaint_of<bad_input>([] { checked({found("time_solve", 1)}); }), ContainsSubstring("preset"));
}

TEST_CASE("a baseline that cannot be one is refused with its line") {
  const std::string line = "a/b,a/c,cpu,double,8x8,,error_l2,1e-3,1\n";
  CHECK_THAT(complaint_about(header), ContainsSubstring("holds nothing"));
  CHECK_THAT(complaint_about("a,b\n1,2\n"), ContainsSubstring("baseline.csv"));
  CHECK_THAT(complaint_about(header + line + line), ContainsSubstring("line 3"));
  CHECK_THAT(complaint_about(std::string(header) + "a/b,a/c,cpu,double,8x8,,error_l2,,1\n"),
             ContainsSubstring("line 2"));
  CHECK_THAT(complaint_about(std::string(header) + "a/b,a/c,cpu,double,8x8,,error_l2,many,1\n"),
             ContainsSubstring("many"));
  CHECK_THAT(complaint_about(std::string(header) + "a/b,a/c,cpu,double,8x8,,time_solve,1,s\n"),
             ContainsSubstring("time_solve"));
}

TEST_CASE("JUnit's XML has a case for each number and escapes what it says") {
  const auto baseline = make_baseline(finished({found("error_l2", 1e-3), found("order", 2, "gone")}));
  auto rows = std::vector{found("error_l2", 2e-3),
                          without_value(found("time_solve", 0, "gone"), "skipped", "a<b & \"c\" \x01\xff")};

  auto time = found("time_to_solution", 0.25, "cpu_serial", "double", "cpu");
  time.unit = "s";
  rows.push_back(time);
  const auto checked_run = finished(rows);
  const auto xml = to_junit(check_baseline(baseline, checked_run), {"gates/cpu.csv", checked_run});

  CHECK_THAT(xml, ContainsSubstring("<testsuites name=\"reprise baseline\" tests=\"2\" failures=\"1\">"));
  CHECK_THAT(
      xml,
      ContainsSubstring(
          "<testcase classname=\"jacobi/cpu_serial\" name=\"jacobi/cpu_serial cpu "
          "double 32x32 error_l2\" file=\"gates/cpu.csv\" time=\"0.25\">\n      <failure type=\"worse\""));
  CHECK_THAT(xml, ContainsSubstring("<skipped message=\"a&lt;b &amp; &quot;c&quot;  \xef\xbf\xbd\"/>"));
}
