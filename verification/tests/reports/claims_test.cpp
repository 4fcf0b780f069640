// SPDX-License-Identifier: MIT
// Tests claims: which rows a quantity selects, which verdict follows, and which claims are refused.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "reports/judging/claims.hpp"
#include "reports/store/csv.hpp"
#include "solvers/common/base/error.hpp"
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

std::vector<claim> claims_in(const std::string& lines) {
  const temporary_folder folder;
  put(folder / "jacobi.csv", "id,place,claim,class,quantity,published,unit,tolerance,shape,reason\n" + lines);
  return read_claims(folder / "jacobi.csv");
}

claim a_claim(const std::string& quantity, const std::string& kind = "absolute",
              const std::string& number = "", const std::string& tolerance = "",
              const std::string& shape = "") {
  return claims_in("c,Table 1,text," + kind + "," + csv::field(quantity) + "," + number + ",1," + tolerance +
                   "," + shape + ",because\n")
      .front();
}

std::string refusal(const std::string& line) {
  return complaint_of<bad_input>([&] { claims_in(line + "\n"); });
}

// Judges by one run and published rows.
judgement judged(const claim& c, const std::vector<row>& measured, const std::vector<row>& paper = {}) {
  const std::vector<run> runs{a_run(measured)};
  return judge(c, {"jacobi", "time_1000_sweeps", runs, paper});
}

const std::vector<row> three_rows{a_row("table1", "cuda_2d", "512x1024", 6),
                                  a_row("table2", "cuda_shared", "512x1024", 2),
                                  a_row("table2", "cuda_shared", "513x1024", 3)};
const std::string ratio = "{cuda_2d@512x1024} / {cuda_shared@512x1024}";

}  // namespace

TEST_CASE("a quantity is computed from the rows that it selects, and names them") {
  const auto j = judged(a_claim(ratio), three_rows);

  CHECK(j.measured == 3);
  CHECK(j.basis == texts{"table1 cuda_2d@512x1024 cuda:0", "table2 cuda_shared@512x1024 cuda:0"});
}

TEST_CASE("a row that is selected twice is named once") {
  CHECK(judged(a_claim("{cuda_2d@512x1024} + {cuda_2d@512x1024}"), three_rows).basis ==
        texts{"table1 cuda_2d@512x1024 cuda:0"});
}

TEST_CASE("a selector with a glob stands for all that it finds") {
  CHECK(judged(a_claim("max({cuda_*@*})"), three_rows).measured == 6);
  CHECK(judged(a_claim("min({cuda_*@*}, 1)"), three_rows).measured == 1);
  CHECK(judged(a_claim("sum({cuda_shared@*})"), three_rows).measured == 5);
  CHECK(judged(a_claim("avg(1, {cuda_shared@51[23]x1024})"), three_rows).measured == 2);
  CHECK(judged(a_claim("max({cuda_?d@*})/min({*@513x1024})"), three_rows).measured == 2);
}

TEST_CASE("a selector takes the device that the run names first") {
  const std::vector<row> rows{a_row("table1", "a", "1", 3, "cpu"), a_row("table1", "a", "1", 5, "cuda:0"),
                              a_row("table1", "a", "1", 7, "opencl:0"),
                              a_row("table1", "a", "1", 9, "unlisted")};

  CHECK(judged(a_claim("{a@1}"), rows).measured == 5);
  CHECK(judged(a_claim("{a@1,device=cpu}"), rows).measured == 3);
  CHECK(judged(a_claim("{a@1,device=EPYC}"), rows).measured == 3);
  CHECK(judged(a_claim("{a@1,device=opencl:*}"), rows).measured == 7);
  CHECK(judged(a_claim("{a@1,device=unlisted}"), rows).measured == 9);
}

TEST_CASE("a selector takes the first experiment unless it names one") {
  const std::vector<row> rows{a_row("table2", "a", "1", 3), a_row("table1", "a", "1", 5)};

  CHECK(judged(a_claim("{a@1}"), rows).measured == 3);
  CHECK(judged(a_claim("{a@1,experiment=table1}"), rows).measured == 5);
  CHECK(judged(a_claim("{a@1,experiment=jacobi/table1}"), rows).measured == 5);
}

TEST_CASE("a selector tells metrics, precisions and parameters apart") {
  auto in_double = a_row("table1", "a", "1", 5);
  in_double.precision = "double";
  auto pinned = a_row("table1", "a", "1", 7);
  pinned.parameter = "matrix=pinned";
  const std::vector<row> rows{a_row("table1", "a", "1", 3), in_double, pinned,
                              with_metric(a_row("table1", "a", "1", 9), "speedup_over_cpu")};

  CHECK(judged(a_claim("{a@1}"), rows).measured == 3);
  CHECK(judged(a_claim("{a@1,precision=double}"), rows).measured == 5);
  CHECK(judged(a_claim("{a@1,parameter=matrix=pinned}"), rows).measured == 7);
  const auto j = judged(a_claim("{a@1:speedup_over_cpu}"), rows);
  CHECK(j.measured == 9);
  CHECK(j.basis == texts{"table1 a@1:speedup_over_cpu cuda:0"});
}

TEST_CASE("published and measured rows are kept apart") {
  const std::vector<row> paper{published(a_row("table1", "a", "1", 8, "OP 8600GT")),
                               published(a_row("table1", "a", "1", 4, "PH 280")),
                               published(with_metric(a_row("table1", "", "1", 2, "PH 280"), "peak"))};
  const std::vector<row> rows{a_row("table1", "a", "1", 3)};

  CHECK(judged(a_claim("{a@1}"), rows, paper).measured == 3);
  CHECK(judged(a_claim("{a@1,source=published}"), rows, paper).measured == 8);
  CHECK(judged(a_claim("{a@1,device=PH 280,source=published}"), rows, paper).measured == 4);
  CHECK(judged(a_claim("{@1:peak,device=PH 280,source=published}"), rows, paper).measured == 2);
}

TEST_CASE("rows of another family are not selected") {
  auto other = a_row("table1", "a", "1", 3);
  other.experiment = "tissue/table1";

  CHECK(judged(a_claim("{a@1}"), {other}).outcome == verdict::not_run_here);
}

TEST_CASE("of several runs the first that has the row counts") {
  const std::vector<run> runs{a_run({a_row("table1", "b", "1", 2, "cpu")}),
                              a_run({a_row("table1", "a", "1", 3), a_row("table1", "b", "1", 4)})};
  const evidence known{"jacobi", "time_1000_sweeps", runs, {}};

  CHECK(judge(a_claim("{b@1}"), known).measured == 2);
  CHECK(judge(a_claim("{a@1}"), known).basis == texts{"here table1 a@1 cuda:0"});
}

TEST_CASE("an invariant is reproduced within its tolerance and differs outside it") {
  const auto outcome = [](const char* number, const char* tolerance, const char* shape = "") {
    return judged(a_claim(ratio, "invariant", number, tolerance, shape), three_rows).outcome;
  };

  CHECK(outcome("3", "0") == verdict::reproduced);
  CHECK(outcome("3.1", "0.1") == verdict::reproduced);
  CHECK(outcome("3.1", "0.09") == verdict::differs);
  CHECK(outcome("2.5", "20%") == verdict::reproduced);
  CHECK(outcome("2.5", "19%") == verdict::differs);
  CHECK(outcome("-3", "100%") == verdict::differs);
  CHECK(outcome("", "", "2.9..3.1") == verdict::reproduced);
  CHECK(outcome("", "", ">3") == verdict::differs);
}

TEST_CASE("a shape is reproduced, or the same shape, or differs") {
  const auto outcome = [](const char* number, const char* tolerance, const char* shape) {
    return judged(a_claim(ratio, "shape", number, tolerance, shape), three_rows).outcome;
  };

  CHECK(outcome("3", "5%", ">1") == verdict::reproduced);
  CHECK(outcome("78", "5%", ">1") == verdict::same_shape);
  CHECK(outcome("", "", ">=3") == verdict::same_shape);
  CHECK(outcome("78", "5%", ">3") == verdict::differs);
  CHECK(outcome("78", "5%", "<3") == verdict::differs);
  CHECK(outcome("78", "5%", "<=3") == verdict::same_shape);
  CHECK(outcome("78", "5%", "3..4") == verdict::same_shape);
  CHECK(outcome("78", "5%", "3.01..4") == verdict::differs);
  CHECK(outcome("3", "5%", "<1") == verdict::differs);
}

TEST_CASE("an absolute number is shown and never judged") {
  const auto j = judged(a_claim("{cuda_2d@512x1024}", "absolute", "0.42"), three_rows);

  CHECK(j.outcome == verdict::shown);
  CHECK(j.measured == 6);
}

TEST_CASE("a paper whose numbers contradict each other is in conflict") {
  const std::vector<row> paper{published(a_row("table3", "cpu", "1", 10)),
                               published(a_row("table3", "gpu", "1", 2)),
                               published(with_metric(a_row("table3", "gpu", "1", 5), "speedup"))};
  const std::string error =
      "{gpu@1:speedup,source=published}*{gpu@1,source=published}/{cpu@1,source=published}";
  const auto outcome = [&](const char* number, const char* tolerance, const char* shape) {
    return judged(a_claim(error, "internal", number, tolerance, shape), {}, paper).outcome;
  };

  CHECK(outcome("1", "1%", "") == verdict::reproduced);
  CHECK(outcome("1.1", "1%", "") == verdict::paper_conflict);
  CHECK(outcome("", "", "0.99..1.01") == verdict::reproduced);
  CHECK(outcome("", "", ">1") == verdict::paper_conflict);
}

TEST_CASE("a claim without a measured row is not run here, for the row's own reason") {
  auto rows = three_rows;
  rows.push_back(skipped("cuda_texture", "CUDA was not built: no nvcc"));
  auto failed = a_row("table1", "cuda_bad", "512x1024", no_value);
  failed.status = "failed";
  failed.reason = "max error 3 at node 17";
  rows.push_back(failed);

  const auto j =
      judged(a_claim("{cuda_2d@512x1024}/{cuda_texture@512x1024}", "shape", "1", "5%", ">1"), rows);
  CHECK(j.outcome == verdict::not_run_here);
  CHECK(std::isnan(j.measured));
  CHECK(j.reason == "cuda_texture@512x1024: skipped: CUDA was not built: no nvcc");
  CHECK(judged(a_claim("{cuda_bad@512x1024}"), rows).reason ==
        "cuda_bad@512x1024: failed: max error 3 at node 17");
  CHECK(judged(a_claim("{a@1}+max({b*@1})"), rows).reason ==
        "a@1: no row was measured; b*@1: no row was measured");
}

TEST_CASE("the reason for a missing number is that of its own metric where there is one") {
  const auto refusal = [](const std::string& metric, const std::string& reason) {
    auto r = with_metric(a_row("table1", "heun", "1", no_value), metric);
    r.status = "skipped";
    r.reason = reason;
    return r;
  };
  const std::vector<row> rows{refusal("time_at_1e-2", "too large"), refusal("time_at_1e-7", "too small")};

  CHECK(judged(a_claim("{heun@1:time_at_1e-7}"), rows).reason == "heun@1:time_at_1e-7: skipped: too small");
  CHECK(judged(a_claim("{heun@1:speedup}"), rows).reason == "heun@1:speedup: skipped: too large");
}

TEST_CASE("a quantity that is no finite number is not reproduced") {
  const std::vector<row> rows{a_row("table1", "a", "1", 0)};

  const auto j = judged(a_claim("1/{a@1}", "shape", "", "", ">1"), rows);

  CHECK(j.outcome == verdict::differs);
  CHECK_THAT(j.reason, ContainsSubstring("not a finite number"));
}

TEST_CASE("a measured row that is infinite or not a number lets no claim hold") {
  for (const double lost : {std::numeric_limits<double>::infinity(), no_value}) {
    auto rows = three_rows;
    rows[0].value = lost;

    CHECK(judged(a_claim(ratio, "shape", "", "", ">=0"), rows).outcome == verdict::differs);
    // A maximum, a minimum and a quotient could hide it.
    for (const char* const quantity : {"max({*@*})", "min({*@*},1)", "1/{cuda_2d@512x1024}",
                                       "max({cuda_2d@512x1024},1)", "min(1,{cuda_2d@512x1024})"}) {
      const auto j = judged(a_claim(quantity, "shape", "", "", ">=0"), rows);
      INFO(quantity);
      CHECK(j.outcome == verdict::differs);
      CHECK(std::isnan(j.measured));
    }
  }
}

TEST_CASE("a selector of published rows that finds none is a mistake in the claims") {
  CHECK_THAT(complaint_of<bad_input>([] { judged(a_claim("{a@1,source=published}"), three_rows); }),
             ContainsSubstring("jacobi.csv, line 2: {a@1,source=published} selects no published row"));
}

TEST_CASE("a malformed claim is refused with its file and line") {
  const auto refused = [](const std::string& line, const char* expected) {
    const auto text = refusal(line);
    CHECK_THAT(text, ContainsSubstring("jacobi.csv"));
    CHECK_THAT(text, ContainsSubstring("line 2"));
    CHECK_THAT(text, ContainsSubstring(expected));
  };
  const auto with_quantity = [](const std::string& q) { return "c,,,absolute," + csv::field(q) + ",,,,,"; };

  refused("c,,,opinion,1,,,,,", "class \"opinion\" is none of");
  refused("c,,,absolute,1,,,,", "Too few columns");
  refused("c,,,absolute,1,one,,,,", "\"one\" in column published");
  refused("c,,,invariant,1,1,,few,,", "\"few\" in column tolerance");
  refused("c,,,invariant,1,1,,%,,", "the tolerance is no number");
  refused("c,,,invariant,1,1,,-5%,,", "the tolerance is no number");
  refused("c,,,invariant,1,,,5%,,", "no published number");
  refused("c,,,invariant,1,1,,,,", "can have no verdict");
  refused("c,,,internal,1,1,,,,", "can have no verdict");
  refused("c,,,shape,1,1,,5%,,", "a shape without a condition");
  refused("c,,,shape,1,,,,1,", "the shape is none of");
  refused("c,,,shape,1,,,,>,", "the shape has no number");
  refused("c,,,shape,1,,,,<=,", "the shape has no number");
  refused("c,,,shape,1,,,,3..1,", "the shape is no range");
  refused("c,,,shape,1,,,,1..,", "the shape is no range");
  refused("c,,,shape,1,,,,>x,", "in column shape");
  refused("c,,,internal,{a@1},1,,5%,,", "needs source=published");
  refused(",,,absolute,1,,,,,", "the id \"\" is not a new one");
  refused(with_quantity(""), "Expression is empty");
  refused(with_quantity("{a@1"), "a { without its }");
  refused(with_quantity("a@1}"), "a } without its {");
  refused(with_quantity("{a}"), "{a} is not {VARIANT@SIZE...}");
  refused(with_quantity("{a@}"), "no size after its @");
  refused(with_quantity("{a@1,colour=red}"), "\"colour=red\" in {a@1,colour=red} is none of");
  refused(with_quantity("{a@1,source=elsewhere}"), "is none of");
  refused(with_quantity("{a@1,device=}"), "is none of");
  refused(with_quantity("{a@1}+"), "is no expression");
  refused(with_quantity("{a@1}2"), "is no expression");
  refused(with_quantity("{a@1}{b@1}"), "is no expression");
  refused(with_quantity("cuda_2d"), "is no expression");
  refused(with_quantity("system(1)"), "is no expression");
  refused(with_quantity("1,2"), "several values");
  refused(with_quantity("{a*@1}"), "may stand for several numbers");
  refused(with_quantity("max({a*@1}/2)"), "may stand for several numbers");
  refused(with_quantity("({a*@1})"), "may stand for several numbers");
  refused(with_quantity("sin({a*@1})"), "is no expression");
  refused(with_quantity(std::string(9000, '(')), "longer than 8000");
  refused(with_quantity(std::string(7000, '(')), "is no expression");
}

TEST_CASE("two claims of one id are refused") {
  CHECK_THAT(refusal("c,,,absolute,1,,,,,\nc,,,absolute,2,,,,,"), ContainsSubstring("line 3: the id \"c\""));
}
