// SPDX-License-Identifier: MIT
// Tests which rows the quantity of a claim selects, and how far a single sample may be off.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <span>
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
using texts = std::vector<std::string>;

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
  auto in_single = a_row("table1", "a", "1", 3);
  in_single.precision = "single";
  auto pinned = a_row("table1", "a", "1", 7);
  pinned.precision = "single";
  pinned.parameter = "matrix=pinned";
  const std::vector<row> rows{in_single, in_double, pinned,
                              with_metric(a_row("table1", "a", "1", 9), "speedup_over_cpu")};

  CHECK(measured_by("{a@1,precision=single}", rows) == 3);
  CHECK(measured_by("{a@1,precision=double}", rows) == 5);
  CHECK(measured_by("{a@1,parameter=matrix=pinned}", rows) == 7);
  const auto j = judged(a_claim("{a@1:speedup_over_cpu}"), rows);
  CHECK(j.measured.value == 9);
  CHECK(j.basis == texts{"table1 a@1:speedup_over_cpu cuda:0"});
}

TEST_CASE("a selector that stands for two readings of a case decides nothing and says what to name") {
  auto single = a_row("table1", "a", "1", 0.5);
  single.precision = "single";
  auto both = single;
  both.precision = "double";
  both.value = 5;
  const auto reading_of = [](const std::string& quantity, const std::vector<row>& rows) {
    const auto j = judged(a_conclusion(quantity, "beats"), rows);
    CHECK(j.outcome == verdict::undecided);
    return j.reason;
  };

  CHECK(reading_of("{a@1}", {single, both}) ==
        "{a@1} stands for both precision=single and precision=double; name one; because");
  CHECK_THAT(reading_of("max({*@1})", {single, both}), ContainsSubstring("{*@1} stands for both"));
  CHECK(judged(a_conclusion("{a@1,precision=double}", "beats"), {single, both}).outcome == verdict::holds);
  // Devices have an order, and so have runs.
  both.device = "cpu";
  CHECK(judged(a_conclusion("{a@1}", "beats"), {single, both}).outcome == verdict::no_longer);
}

TEST_CASE("a selector without a parameter leaves out cases that were run with one") {
  const auto usual = a_row("table1", "a", "1", 2);
  auto other = a_row("table1", "a", "1", 9);
  other.parameter = "eps=0.1";

  CHECK(measured_by("{a@1}", {other, usual}) == 2);
  CHECK(measured_by("max({*@*})", {other, usual}) == 2);
  CHECK_THAT(
      judged(a_conclusion("{a@1}", "beats"), {other}).reason,
      ContainsSubstring("only rows with a parameter were measured; name it, such as parameter=eps=0.1"));
}

TEST_CASE("published and measured rows are kept apart") {
  const std::vector<row> paper{published(a_row("table1", "a", "1", 8, "OP 8600GT")),
                               published(a_row("table1", "a", "1", 4, "PH 280")),
                               published(with_metric(a_row("table1", "", "1", 2, "PH 280"), "peak"))};
  const std::vector<row> rows{a_row("table1", "a", "1", 3)};

  CHECK(measured_by("{a@1}", rows, paper) == 3);
  CHECK(measured_by("{a@1,device=OP 8600GT,source=published}", rows, paper) == 8);
  CHECK(measured_by("{a@1,device=PH 280,source=published}", rows, paper) == 4);
  CHECK(measured_by("{@1:peak,device=PH 280,source=published}", rows, paper) == 2);
}

TEST_CASE("a selector that stands for two printed rows is a mistake in the claims") {
  auto one = published(a_row("table1", "a", "1", 8, "OP 8600GT"));
  auto other = published(a_row("table1", "a", "1", 4, "PH 280"));
  const auto complaint = [&] {
    return complaint_of<bad_input>([&] { judged(a_claim("{a@1,source=published}"), {}, {one, other}); });
  };

  CHECK_THAT(complaint(),
             ContainsSubstring("jacobi.csv, line 2: ") &&
                 ContainsSubstring("stands for both device=OP 8600GT and device=PH 280; name one"));
  other.device = one.device;
  other.parameter = "matrix=pinned";
  CHECK_THAT(complaint(), ContainsSubstring("parameter= and parameter=matrix=pinned"));
}

TEST_CASE("rows of another family are not selected") {
  auto other = a_row("table1", "a", "1", 3);
  other.experiment = "tissue/table1";

  CHECK_THAT(judged(a_claim("{a@1}"), {other}).reason, ContainsSubstring("no row was measured"));
}

TEST_CASE("of several runs the first that has the right row counts") {
  auto disturbed = a_row("table1", "a", "1", 7);
  disturbed.status = "disturbed";
  const std::vector<run> runs{a_run({a_row("table1", "b", "1", 2, "cpu"), disturbed}),
                              a_run({a_row("table1", "a", "1", 3), a_row("table1", "b", "1", 4)})};
  const evidence known{"jacobi", "time_1000_sweeps", runs, {}};

  CHECK(judge(a_claim("{b@1}"), known).measured.value == 2);
  CHECK(judge(a_claim("{a@1}"), known).basis == texts{"here table1 a@1 cuda:0"});
}

TEST_CASE("of several runs the one that came closest to a number says why there is none") {
  const auto without = [](const std::string& status, const std::string& reason) {
    auto r = a_row("table1", "a", "1", no_value);
    r.status = status;
    r.reason = reason;
    return a_run({r});
  };
  const std::vector<run> runs{without("skipped", "too long"), without("disturbed", "a busy core"),
                              without("failed", "max error 3"), without("disturbed", "a busy host")};
  const auto why = [&](std::size_t first, std::size_t count) {
    const auto some = std::span<const run>(runs).subspan(first, count);
    return judge(a_claim("{a@1}"), {"jacobi", "time_1000_sweeps", some, {}}).reason;
  };

  CHECK_THAT(why(0, 1), ContainsSubstring("skipped: too long"));
  CHECK_THAT(why(0, 2), ContainsSubstring("disturbed: a busy core"));
  CHECK_THAT(why(0, 4), ContainsSubstring("failed: max error 3"));
  CHECK_THAT(why(3, 1), ContainsSubstring("disturbed: a busy host"));
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

namespace {

// A run on a machine with so many threads, with a GPU or without.
run on_machine(int threads, bool has_gpu, std::vector<row> rows) {
  auto r = a_run(std::move(rows));
  auto devices = nlohmann::json::array({{{"id", "opencl:0"},
                                         {"name", "pthread"},
                                         {"backend", "opencl"},
                                         {"driver", "Portable Computing Language 3.1"}},
                                        {{"id", "cpu"}, {"name", "EPYC"}, {"backend", "cpu"}}});
  if (has_gpu) devices.push_back({{"id", "cuda:0"}, {"name", "NVIDIA H200"}, {"backend", "cuda"}});
  *r.description = {{"name", "here"}, {"hardware_threads", threads}, {"devices", devices}};
  return r;
}

}  // namespace

TEST_CASE("rows of two kinds of machines are not compared, and a machine with a GPU comes first") {
  const auto on_cpu = a_row("table1", "b", "1", 6, "cpu");
  const std::vector<run> runs{on_machine(2, false, {on_cpu}),
                              on_machine(16, true, {a_row("table1", "a", "1", 3)}),
                              on_machine(16, true, {a_row("table1", "b", "1", 9, "cpu")})};
  const auto judged_by = [](std::span<const run> some, const std::string& quantity) {
    return judge(a_claim(quantity), {"jacobi", "time_1000_sweeps", some, {}});
  };

  CHECK(judged_by(runs, "{b@1}").measured.value == 9);
  CHECK(judged_by(runs, "{b@1}/{a@1}").measured.value == 3);
  CHECK(judged_by(runs, "avg({[ab]@1})").measured.value == 6);
  const auto parts = judged_by(runs, "one: {b@1} | other: {a@1}").used;
  CHECK(parts.front().data.value == 9);
  const auto apart = judged_by(std::span(runs).first(2), "{b@1}/{a@1}");
  CHECK(apart.absence == "not measured");
  CHECK_THAT(apart.reason, ContainsSubstring("b@1: no row was measured"));
}

TEST_CASE("a time of a GPU's code on a processor says nothing of GPUs, and its answers do") {
  const auto time = a_row("table1", "opencl_stages", "1", 3, "opencl:0");
  const std::vector<run> runs{on_machine(2, false, {time, with_metric(time, "order")})};
  const evidence known{"jacobi", "time_1000_sweeps", runs, {}};
  const auto timed = judge(a_claim("{opencl_stages@1}"), known);

  CHECK(timed.absence == "needs a GPU");
  CHECK_THAT(timed.reason, ContainsSubstring("on opencl:0 alone, which is a processor"));
  CHECK(judge(a_claim("{opencl_stages@1:order}"), known).measured.value == 3);
}

namespace {

// A run of one time of one sample.
run a_single(double value, const std::string& variant = "a", const std::string& device = "cpu") {
  auto r = within(a_row("table1", variant, "1", value, device), value, value);
  r.samples = 1;
  return a_run({r});
}

judgement judged_by(const std::vector<run>& runs, const std::string& quantity = "{a@1,experiment=table1}") {
  return judge(a_conclusion(quantity, "beats"), {"jacobi", "time_1000_sweeps", runs, {}});
}

}  // namespace

TEST_CASE(
    "a time of one sample is off by a factor of two at most, and decides only what lies farther from its "
    "bound") {
  const auto near = judged_by({a_single(1.9)});
  CHECK(near.measured.low == 0.95);
  CHECK(near.measured.high == 3.8);
  CHECK(near.outcome == verdict::undecided);
  CHECK_THAT(near.reason,
             ContainsSubstring("a single sample counts with a factor of 2 either way: table1 a@1 cpu"));
  CHECK(near.takes ==
        "reprise run jacobi/table1 --out RUN (until 3 runs have the sample, each in a folder of its own)");
  CHECK(judged_by({a_single(2.1)}).outcome == verdict::holds);

  // Other rows keep their intervals: several samples, a count, a rate, a printed number.
  auto several = a_single(1.9);
  several.rows.front().samples = 3;
  CHECK(judged_by({several}).measured.is_exact());
  auto count = a_single(1.9);
  count.rows.front().unit = "1";
  CHECK(judged_by({count}).measured.is_exact());
  CHECK(judged(a_claim("{a@1,source=published}"), {}, {published(a_single(1.9).rows.front())})
            .measured.is_exact());
}

TEST_CASE("three runs with a sample each count as three samples, on the same device alone") {
  const auto three = judged_by({a_single(1.9), a_single(1.2), a_single(2.4)});
  CHECK(three.measured.value == 1.9);
  CHECK(three.measured.low == 1.2);
  CHECK(three.measured.high == 2.4);
  CHECK(three.outcome == verdict::holds);

  // Two are too few, and widen the interval.
  CHECK(judged_by({a_single(1.9), a_single(1.25)}).measured.low == 0.625);
  // Neither another device nor another case is a sample of this one.
  CHECK(judged_by({a_single(1.9), a_single(1.2), a_single(2.4, "a", "cuda:0")}).outcome ==
        verdict::undecided);
  auto other = a_single(2.4);
  other.rows.front().precision = "double";
  CHECK(judged_by({a_single(1.9), a_single(1.2), other}).outcome == verdict::undecided);
}
