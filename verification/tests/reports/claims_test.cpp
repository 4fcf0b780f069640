// SPDX-License-Identifier: MIT
// Tests claims: which rows a quantity selects, and which verdict follows from its bounds, intervals and parts.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/judging/claims.hpp"
#include "reports/judging/judge.hpp"
#include "reports/store/csv.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_claims.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
using texts = std::vector<std::string>;

row a_row(const std::string& experiment, const std::string& variant, const std::string& size, double value,
          const std::string& device = "cuda:0") {
  row r;
  r.experiment = "jacobi/" + experiment;
  r.variant = variant.empty() ? "" : "jacobi/" + variant;
  r.device = device;
  r.size = size;
  r.metric = "time_1000_sweeps";
  r.value = value;
  r.unit = "s";
  r.status = "ok";
  return r;
}

row skipped(const std::string& variant, const std::string& reason) {
  auto r = a_row("table1", variant, "", no_value, "");
  r.metric = "";
  r.status = "skipped";
  r.reason = reason;
  return r;
}

row with_metric(row r, const std::string& metric) {
  r.metric = metric;
  return r;
}

row published(row r) {
  r.status = "published";
  return r;
}

run a_run(std::vector<row> rows) {
  run r;
  *r.description = {{"name", "here"},
                    {"devices",
                     {{{"id", "cuda:0"}, {"name", "NVIDIA H200"}},
                      {{"id", "opencl:0"}, {"name", "pthread"}},
                      {{"id", "cpu"}, {"name", "EPYC"}}}}};
  r.rows = std::move(rows);
  return r;
}

row within(row r, double q1, double q3) {
  r.q1 = q1;
  r.q3 = q3;
  return r;
}

struct with {
  std::string kind{"shown"}, number{}, bound{}, partly{}, otherwise{};
};

claim a_claim(const std::string& quantity, const with& w = {}) {
  return claims_in("c,,Table 1,text," + w.kind + "," + csv::field(quantity) + "," + w.number + ",1," +
                   w.bound + "," + w.partly + "," + w.otherwise + ",,because\n")
      .front();
}

claim a_conclusion(const std::string& quantity, const std::string& bound, const std::string& number = "",
                   const std::string& partly = "") {
  return a_claim(quantity, {"conclusion", number, bound, partly, "no longer"});
}

// Judges by one run and published rows.
judgement judged(const claim& c, const std::vector<row>& measured, const std::vector<row>& paper = {},
                 const std::vector<double>& roundings = {}) {
  const std::vector<run> runs{a_run(measured)};
  return judge(c, {"jacobi", "time_1000_sweeps", runs, paper, roundings});
}

double measured_by(const std::string& quantity, const std::vector<row>& rows,
                   const std::vector<row>& paper = {}) {
  return judged(a_claim(quantity), rows, paper).measured.value;
}

const std::vector<row> three_rows{a_row("table1", "cuda_2d", "512x1024", 6),
                                  a_row("table2", "cuda_shared", "512x1024", 2),
                                  a_row("table2", "cuda_shared", "513x1024", 3)};
const std::string ratio = "{cuda_2d@512x1024} / {cuda_shared@512x1024}";

}  // namespace

TEST_CASE("a quantity is computed from the rows that it selects, and names them") {
  const auto j = judged(a_claim(ratio), three_rows);

  CHECK(j.measured.value == 3);
  CHECK(j.basis == texts{"table1 cuda_2d@512x1024 cuda:0", "table2 cuda_shared@512x1024 cuda:0"});
}

TEST_CASE("a row that is selected twice is named once") {
  CHECK(judged(a_claim("{cuda_2d@512x1024} + {cuda_2d@512x1024}"), three_rows).basis ==
        texts{"table1 cuda_2d@512x1024 cuda:0"});
}

TEST_CASE("rows that differ in their parameters alone share a name, and all are kept with their numbers") {
  auto one = a_row("table1", "a", "1", 6);
  auto other = one;
  one.parameter = "method=euler";
  other.parameter = "method=heun";
  other.value = 3;
  const auto j = [&] {
    const std::vector<row> soon_gone{one, other};
    return judged(a_claim("{a@1,parameter=method=euler}/{a@1,parameter=method=heun}"), soon_gone);
  }();
  CHECK(j.basis == texts{"table1 a@1 cuda:0"});
  REQUIRE(j.used.size() == 2);
  CHECK(j.used[0].data.value == 6);
  CHECK(j.used[1].data.value == 3);
  CHECK(j.used[1].data.parameter == "method=heun");
}

TEST_CASE("a selector with a glob stands for all that it finds") {
  CHECK(measured_by("max({cuda_*@*})", three_rows) == 6);
  CHECK(measured_by("min({cuda_*@*}, 1)", three_rows) == 1);
  CHECK(measured_by("sum({cuda_shared@*})", three_rows) == 5);
  CHECK(measured_by("avg(1, {cuda_shared@51[23]x1024})", three_rows) == 2);
  CHECK(measured_by("max({cuda_?d@*})/min({*@513x1024})", three_rows) == 2);
}

TEST_CASE("a selector takes the device that the run names first") {
  const std::vector<row> rows{a_row("table1", "a", "1", 3, "cpu"), a_row("table1", "a", "1", 5, "cuda:0"),
                              a_row("table1", "a", "1", 7, "opencl:0"),
                              a_row("table1", "a", "1", 9, "unlisted")};

  CHECK(measured_by("{a@1}", rows) == 5);
  CHECK(measured_by("{a@1,device=cpu}", rows) == 3);
  CHECK(measured_by("{a@1,device=EPYC}", rows) == 3);
  CHECK(measured_by("{a@1,device=opencl:*}", rows) == 7);
  CHECK(measured_by("{a@1,device=unlisted}", rows) == 9);
}

TEST_CASE("a selector takes the first experiment unless it names one") {
  const std::vector<row> rows{a_row("table2", "a", "1", 3), a_row("table1", "a", "1", 5)};

  CHECK(measured_by("{a@1}", rows) == 3);
  CHECK(measured_by("{a@1,experiment=table1}", rows) == 5);
  CHECK(measured_by("{a@1,experiment=jacobi/table1}", rows) == 5);
}

TEST_CASE("a selector tells metrics, precisions and parameters apart") {
  auto in_double = a_row("table1", "a", "1", 5);
  in_double.precision = "double";
  auto pinned = a_row("table1", "a", "1", 7);
  pinned.parameter = "matrix=pinned";
  const std::vector<row> rows{a_row("table1", "a", "1", 3), in_double, pinned,
                              with_metric(a_row("table1", "a", "1", 9), "speedup_over_cpu")};

  CHECK(measured_by("{a@1}", rows) == 3);
  CHECK(measured_by("{a@1,precision=double}", rows) == 5);
  CHECK(measured_by("{a@1,parameter=matrix=pinned}", rows) == 7);
  const auto j = judged(a_claim("{a@1:speedup_over_cpu}"), rows);
  CHECK(j.measured.value == 9);
  CHECK(j.basis == texts{"table1 a@1:speedup_over_cpu cuda:0"});
}

TEST_CASE("published and measured rows are kept apart") {
  const std::vector<row> paper{published(a_row("table1", "a", "1", 8, "OP 8600GT")),
                               published(a_row("table1", "a", "1", 4, "PH 280")),
                               published(with_metric(a_row("table1", "", "1", 2, "PH 280"), "peak"))};
  const std::vector<row> rows{a_row("table1", "a", "1", 3)};

  CHECK(measured_by("{a@1}", rows, paper) == 3);
  CHECK(measured_by("{a@1,source=published}", rows, paper) == 8);
  CHECK(measured_by("{a@1,device=PH 280,source=published}", rows, paper) == 4);
  CHECK(measured_by("{@1:peak,device=PH 280,source=published}", rows, paper) == 2);
}

TEST_CASE("rows of another family are not selected") {
  auto other = a_row("table1", "a", "1", 3);
  other.experiment = "tissue/table1";

  CHECK_THAT(judged(a_claim("{a@1}"), {other}).reason, ContainsSubstring("no row was measured"));
}

TEST_CASE("of several runs the first that has the row counts") {
  const std::vector<run> runs{a_run({a_row("table1", "b", "1", 2, "cpu")}),
                              a_run({a_row("table1", "a", "1", 3), a_row("table1", "b", "1", 4)})};
  const evidence known{"jacobi", "time_1000_sweeps", runs, {}};

  CHECK(judge(a_claim("{b@1}"), known).measured.value == 2);
  CHECK(judge(a_claim("{a@1}"), known).basis == texts{"here table1 a@1 cuda:0"});
}

TEST_CASE("the sides of a comparison come from one run where a run has them all") {
  const std::vector<run> runs{a_run({a_row("table1", "a", "1", 8)}),
                              a_run({a_row("table1", "b", "1", 2), a_row("table1", "c", "1", 5)}),
                              a_run({a_row("table1", "a", "1", 3), a_row("table1", "b", "1", 6)})};
  const evidence known{"jacobi", "time_1000_sweeps", runs, {}};
  const auto value = [&](const std::string& quantity) {
    return judge(a_claim(quantity), known).measured.value;
  };

  CHECK(value("{b@1}/{a@1}") == 2);
  CHECK(value("{a@1}/{b@1}") == 0.5);
  CHECK(value("{a@1}/{c@1}") == 1.6);     // no run has both
  CHECK(value("max({*@1})/{a@1}") == 1);  // the third run lacks a row, so the first ones count
  CHECK(judge(a_claim("b: {b@1} | a: {a@1}"), known).parts.size() == 2);
  CHECK(value("b: {b@1} | a: {a@1}") == 2);  // parts are not compared with each other
}

TEST_CASE("a conclusion holds within its bound, in part within the second one, and otherwise not") {
  const auto outcome = [](const std::string& number, const std::string& bound,
                          const std::string& partly = "") {
    return judged(a_conclusion(ratio, bound, number, partly), three_rows).outcome;
  };

  CHECK(outcome("3", "about") == verdict::holds);
  CHECK(outcome("6", "about") == verdict::holds);
  CHECK(outcome("1.5", "about") == verdict::holds);
  CHECK(outcome("6.1", "about") == verdict::no_longer);
  CHECK(outcome("1.4", "about") == verdict::no_longer);
  CHECK(outcome("78", "about", "beats") == verdict::holds_in_part);
  CHECK(outcome("78", "about", "wins") == verdict::no_longer);
  CHECK(outcome("", "at_least_three") == verdict::holds);
  CHECK(outcome("", "beats") == verdict::holds);
  CHECK(outcome("", "wins") == verdict::no_longer);
  CHECK(outcome("3.05", "near") == verdict::holds);
  CHECK(outcome("3.2", "near") == verdict::no_longer);
  CHECK(outcome("-3", "about") == verdict::no_longer);
  CHECK(judged(a_claim(ratio, {"conclusion", "", "wins", "", "never did"}), three_rows).outcome ==
        verdict::never_did);
}

TEST_CASE("a printed number is reproduced within its digit and differs outside it") {
  const auto outcome = [](const std::string& number) {
    return judged(a_claim("{cuda_2d@512x1024}/{cuda_shared@513x1024}", {"number", number, "digit"}),
                  three_rows)
        .outcome;
  };

  CHECK(outcome("2") == verdict::reproduced);
  CHECK(outcome("2.4") == verdict::differs);
  CHECK(outcome("1.96") == verdict::differs);
  CHECK(outcome("2.00") == verdict::reproduced);
  CHECK(outcome("2.5") == verdict::differs);
}

TEST_CASE("a conclusion of several parts holds in part where some of them do") {
  const auto j = [](const std::string& quantity) {
    return judged(a_conclusion(quantity, "beats"), three_rows);
  };
  const std::string more = "2D: " + ratio;
  const std::string less = "shared: {cuda_shared@512x1024}/{cuda_shared@513x1024}";

  CHECK(j(more + " | again: " + ratio).outcome == verdict::holds);
  CHECK(j(less + " | again: {cuda_shared@512x1024}/10").outcome == verdict::no_longer);
  const auto mixed = j(more + " | " + less);
  CHECK(mixed.outcome == verdict::holds_in_part);
  CHECK(mixed.parts.front().label == "shared");  // the part that decides
  CHECK(mixed.measured.value == mixed.parts.front().measured.value);
}

TEST_CASE("each row of a quantity has to satisfy the claim, and the farthest one decides") {
  const std::vector<row> rows{a_row("table1", "a", "1", 2.02), a_row("table1", "b", "1", 1.97),
                              a_row("table1", "c", "1", 1.2)};
  const auto j = [&](const std::string& quantity) {
    return judged(a_claim(quantity, {"number", "2", "near"}), rows);
  };

  CHECK(j("each({[ab]@1})").outcome == verdict::reproduced);
  CHECK(j("each({*@1})").outcome == verdict::differs);  // a maximum over the rows would hide the last one
  CHECK(j("each({*@1})").measured.value == 1.2);
  CHECK(j("each({*@1})").parts.size() == 3);
  CHECK(j("each(4-{[ab]@1})").outcome == verdict::reproduced);
}

TEST_CASE("an interval that crosses a bound leaves a claim undecided, with what it takes") {
  const auto judged_in = [](double q1, double q3, const std::string& partly = "") {
    const std::vector<row> rows{within(a_row("table1", "a", "1", 1.02), q1, q3)};
    return judged(a_conclusion("{a@1,experiment=table1}", "beats", "", partly), rows);
  };

  CHECK(judged_in(1.01, 1.03).outcome == verdict::holds);
  const auto open = judged_in(.99, 1.03);
  CHECK(open.outcome == verdict::undecided);
  CHECK_THAT(open.reason, ContainsSubstring("crosses the bound"));
  CHECK(open.takes == "reprise run jacobi/table1 --out RUN");
  CHECK(open.measured.low == .99);
  CHECK(open.measured.high == 1.03);
  CHECK(judged_in(.99, 1.03, "wins").outcome == verdict::undecided);
}

TEST_CASE(
    "noise of sampled times combines in squares, other noise adds, and a row in two places moves in both") {
  std::vector<row> rows{within(a_row("table1", "a", "1", 10), 7, 13),
                        within(a_row("table1", "b", "1", 20), 16, 24)};
  const auto sum_of = [](const std::vector<row>& both) {
    return judged(a_claim("{a@1}+{b@1}"), both).measured;
  };
  for (row& r : rows) r.samples = 5;
  CHECK(sum_of(rows).value == 30);
  CHECK(std::abs(sum_of(rows).low - 25) < 1e-9);
  CHECK(std::abs(sum_of(rows).high - 35) < 1e-9);
  CHECK(judged(a_claim("{a@1}/{a@1}"), rows).measured.is_exact());
  for (row& r : rows) r.samples = 1;
  CHECK(std::abs(sum_of(rows).low - 23) < 1e-9);
  CHECK(std::abs(sum_of(rows).high - 37) < 1e-9);
}

TEST_CASE("an average of fits to the same calculation is no surer than one of them") {
  std::vector<row> rows;
  for (const char* variant : {"a", "b", "c", "d"}) {
    rows.push_back(within(a_row("table1", variant, "1", 3), 2.8, 3.3));
    rows.back().unit = "1";
  }
  const auto order = judged(a_claim("avg({*@1})"), rows).measured;
  CHECK(order.value == 3);
  CHECK(std::abs(order.low - 2.8) < 1e-9);
  CHECK(std::abs(order.high - 3.3) < 1e-9);
}

TEST_CASE("a time is shown and never judged, measured or not") {
  const auto j = judged(a_claim("{cuda_2d@512x1024}", {"shown", "0.42"}), three_rows);

  CHECK(j.outcome == verdict::shown);
  CHECK(j.measured.value == 6);
  CHECK(judged(a_claim("{nothing@1}"), three_rows).outcome == verdict::shown);
}

TEST_CASE("two places of a paper are consistent if anything that rounds to them agrees") {
  const std::vector<row> paper{published(a_row("table3", "cpu", "1", 10)),
                               published(a_row("table3", "gpu", "1", 2)),
                               published(with_metric(a_row("table3", "gpu", "1", 5), "speedup"))};
  const std::string error =
      "{gpu@1:speedup,source=published}*{gpu@1,source=published}/{cpu@1,source=published}";
  const auto outcome = [&](const std::string& number, const std::string& otherwise) {
    return judged(a_claim(error, {"arithmetic", number, "equal", "", otherwise}), {}, paper, {.05, .05, .05})
        .outcome;
  };

  CHECK(outcome("1", "contradiction") == verdict::consistent);
  CHECK(outcome("1.03", "contradiction") == verdict::consistent);
  CHECK(outcome("1.1", "contradiction") == verdict::contradiction);
  CHECK(outcome("1.1", "misprint") == verdict::misprint);
  CHECK(outcome("0.9", "our reading") == verdict::our_reading);
}

TEST_CASE("a statement of ours holds or differs") {
  const auto outcome = [](const std::string& bound) {
    return judged(a_claim(ratio, {"beyond", "", bound}), three_rows).outcome;
  };

  CHECK(outcome("beats") == verdict::holds);
  CHECK(outcome("wins") == verdict::differs);
}

TEST_CASE("a claim without a measured row is undecided, for the row's own reason beside its own") {
  auto rows = three_rows;
  rows.push_back(skipped("cuda_texture", "CUDA was not built: no nvcc"));
  auto failed = a_row("table1", "cuda_bad", "512x1024", no_value);
  failed.status = "failed";
  failed.reason = "max error 3 at node 17";
  rows.push_back(failed);
  const auto why = [&](const std::string& quantity) { return judged(a_claim(quantity), rows).reason; };

  const auto j = judged(a_conclusion("{cuda_2d@512x1024}/{cuda_texture@512x1024}", "beats"), rows);
  CHECK(j.outcome == verdict::undecided);
  CHECK(std::isnan(j.measured.value));
  CHECK(j.reason == "cuda_texture@512x1024: skipped: CUDA was not built: no nvcc; because");
  CHECK_FALSE(j.takes.empty());
  CHECK(why("{cuda_bad@512x1024}") == "cuda_bad@512x1024: failed: max error 3 at node 17");
  CHECK(why("{a@1}+max({b*@1})") == "a@1: no row was measured; b*@1: no row was measured");
}

TEST_CASE("a missing number is explained by its own row or by a case that did not run, and by no other") {
  const auto refused = [](const std::string& size, const std::string& metric, const std::string& reason) {
    auto r = with_metric(a_row("table1", "heun", size, no_value), metric);
    r.status = "skipped";
    r.reason = reason;
    return r;
  };
  const std::vector<row> rows{a_row("table1", "heun", "1", 3),  // this case ran, but without its energy
                              refused("1", "energy", "no RAPL"), refused("2", "time_1000_sweeps", "too long"),
                              refused("1", "time_at_1e-7", "too small")};
  const auto why = [&](const std::string& quantity) { return judged(a_claim(quantity), rows).reason; };

  CHECK(why("{heun@1:time_at_1e-7}") == "heun@1:time_at_1e-7: skipped: too small");
  CHECK(why("{heun@1:speedup}") == "heun@1:speedup: no row was measured");
  CHECK(why("{heun@2:speedup}") == "heun@2:speedup: skipped: too long");
}

TEST_CASE("a quantity that is no finite number lets no claim hold") {
  const std::vector<row> rows{a_row("table1", "a", "1", 0)};

  CHECK(judged(a_conclusion("1/{a@1}", "beats"), rows).outcome == verdict::undecided);
  CHECK_THAT(judged(a_conclusion("1/{a@1}", "beats"), rows).reason, ContainsSubstring("not a finite number"));
  CHECK(judged(a_claim("1/{a@1}", {"number", "1", "digit"}), rows).outcome == verdict::differs);
}

TEST_CASE("a measured row that is infinite or not a number lets no claim hold") {
  for (const double lost : {std::numeric_limits<double>::infinity(), no_value}) {
    auto rows = three_rows;
    rows[0].value = lost;

    // A maximum, a minimum and a quotient could hide it.
    for (const char* const quantity : {"max({*@*})", "min({*@*},1)", "1/{cuda_2d@512x1024}",
                                       "max({cuda_2d@512x1024},1)", "min(1,{cuda_2d@512x1024})"}) {
      const auto j = judged(a_conclusion(quantity, "about", "1"), rows);
      INFO(quantity);
      CHECK(j.outcome == verdict::undecided);
      CHECK(std::isnan(j.measured.value));
    }
  }
}

TEST_CASE("a selector of published rows that finds none is a mistake in the claims") {
  CHECK_THAT(complaint_of<bad_input>([] { judged(a_claim("{a@1,source=published}"), three_rows); }),
             ContainsSubstring("jacobi.csv, line 2: {a@1,source=published} selects no published row"));
}
