// SPDX-License-Identifier: MIT
// Tests which verdict follows from a claim's bounds, intervals and parts.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_judgement.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using namespace reprise::testing::judging;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

}  // namespace

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
  auto disturbed = a_row("table1", "openmp", "512x1024", 2);
  disturbed.status = "disturbed";
  disturbed.reason = "disturbed: the program was stopped";
  rows.push_back(disturbed);
  const auto why = [&](const std::string& quantity) { return judged(a_claim(quantity), rows).reason; };

  const auto j = judged(a_conclusion("{cuda_2d@512x1024}/{cuda_texture@512x1024}", "beats"), rows);
  CHECK(j.outcome == verdict::undecided);
  CHECK(std::isnan(j.measured.value));
  CHECK(j.reason == "cuda_texture@512x1024: skipped: CUDA was not built: no nvcc; because");
  CHECK_FALSE(j.takes.empty());
  CHECK(why("{cuda_bad@512x1024}") == "cuda_bad@512x1024: failed: max error 3 at node 17");
  CHECK(why("{openmp@512x1024}") == "openmp@512x1024: disturbed: the program was stopped");
  CHECK(why("{a@1}+max({b*@1})") == "a@1: no row was measured; b*@1: no row was measured");
}

TEST_CASE("an undecided claim says in a word whether its number is missing, disturbed or wrong") {
  const auto absence = [](const std::string& status) {
    auto r = a_row("table1", "a", "1", no_value);
    r.status = status;
    r.reason = "because";
    return judged(a_claim("{a@1}"), {r});
  };

  CHECK(judged(a_claim("{a@1}"), {}).absence == "not measured");
  CHECK(absence("skipped").absence == "not measured");
  CHECK(absence("failed").absence == "wrong answer");
  CHECK(absence("disturbed").absence == "disturbed");
  CHECK_THAT(absence("disturbed").takes, EndsWith("(with nothing else on the machine)"));
  CHECK(judged(a_claim("{a@1}"), {a_row("table1", "a", "1", 3)}).absence == "");
  auto wrong = a_row("table1", "b", "1", no_value);
  wrong.status = "failed";
  auto busy = a_row("table1", "a", "1", no_value);
  busy.status = "disturbed";
  CHECK(judged(a_claim("{a@1}/{b@1}"), {busy, wrong}).absence == "wrong answer");
  CHECK(judged(a_claim("{a@1}/{b@1}"), {busy}).absence == "not measured");
  auto told = a_claim("{a@1}");
  told.decided_by = "reprise run x (with nothing else on the machine)";
  CHECK(judged(told, {busy}).takes == told.decided_by);
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
