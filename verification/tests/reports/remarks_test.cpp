// SPDX-License-Identifier: MIT
// Tests that a claim's reason takes its measured numbers from the rows, and tells no others.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <regex>
#include <string>
#include <vector>

#include "benchmarks/commands/gather.hpp"
#include "reports/judging/assessment.hpp"
#include "reports/judging/remark.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_judgement.hpp"
#include "verification/tests/support/source_dir.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using namespace reprise::testing::judging;
using Catch::Matchers::ContainsSubstring;

const csv::place here{"claims.csv", 2};

std::string filled(const std::string& text, const std::vector<row>& rows) {
  const std::vector<run> runs{a_run(rows)};
  return parse_remark(text, here).with_numbers({"jacobi", "time_1000_sweeps", runs, {}});
}

// The sentences of all claims that come with the program, each with its claim's name.
struct told {
  std::string id;
  sentence text;
  csv::place at;
  family_layout family;
};

std::vector<told> all_sentences() {
  std::vector<told> all;
  const auto from = benchmarks::gather(source_dir(), {});
  for (const auto& family : from.families)
    for (const auto& c : claims_of(from.claims_dir, family))
      for (const auto& s : c.reason.sentences) all.push_back({family.word + "/" + c.id, s, c.at, family});
  return all;
}

std::string plain_text(const sentence& s) {
  std::string text;
  for (const auto& part : s.texts) text += part;
  return text;
}

}  // namespace

TEST_CASE("the numbers of a reason come from the rows that are judged") {
  CHECK(filled("It takes [[1000*{a@1}]] ms, [[{b@1}/{a@1}]] times as long.",
               {a_row("table1", "a", "1", 0.5), a_row("table1", "b", "1", 2)}) ==
        "It takes 500 ms, 4 times as long.");
  CHECK(filled("No number. 1.5 is printed.", {}) == "No number. 1.5 is printed.");
  CHECK(filled("", {}) == "");
}

TEST_CASE("a number in a reason has the digits that its interval allows") {
  const std::vector<row> rows{within(a_row("table1", "a", "1", 1.234), 1.1, 1.4)};
  CHECK(filled("It takes [[{a@1}]] s.", rows) == "It takes 1.2 s.");
}

TEST_CASE("a sentence without the rows of all its numbers is left out") {
  const std::vector<row> rows{a_row("table1", "a", "1", 3), a_row("table1", "c", "1", 0)};

  CHECK(filled("First. It takes [[{a@1}]] s, the other [[{b@1}]] s. Last.", rows) == "First. Last.");
  CHECK(filled("First. It takes [[{a@1}/{c@1}]] s.", rows) == "First.");
  CHECK(filled("It takes [[{b@1}]] s.", rows) == "");
}

TEST_CASE("a sentence ends at a dot, question or exclamation mark, and not at a dot before a number") {
  const std::vector<row> none;

  CHECK(filled("See Fig. 3 with [[{b@1}]] s. Last.", none) == "Last.");
  CHECK(filled("Is it [[{b@1}]]? No! [[{b@1}]] s! Last.", none) == "No! Last.");
  CHECK(filled("First (as in \"x.\") Then [[{b@1}]] s.", none) == "First (as in \"x.\")");
}

TEST_CASE("the numbers of a reason come from one run, of those on which the claim rests") {
  const auto on = [](double a, double b) {
    return a_run({a_row("table1", "a", "1", a), a_row("table1", "b", "1", b)});
  };
  const std::vector<run> runs{a_run({a_row("table1", "a", "1", 7)}), on(1, 2), on(3, 4)};
  const evidence known{"jacobi", "time_1000_sweeps", runs, {}};
  const std::vector<const run*> basis{&runs[2]};
  const auto text = parse_remark("It takes [[{a@1}]] s. The other takes [[{b@1}]] s.", here);

  CHECK(text.with_numbers(known, basis) == "It takes 3 s. The other takes 4 s.");
  CHECK(text.with_numbers(known) == "It takes 1 s. The other takes 2 s.");
  const std::vector<run> apart{a_run({a_row("table1", "a", "1", 7)}), a_run({a_row("table1", "b", "1", 9)})};
  CHECK(text.with_numbers({"jacobi", "time_1000_sweeps", apart, {}}) == "It takes 7 s. The other takes 9 s.");
}

TEST_CASE("a claim is told with the numbers of its reason") {
  auto c = a_claim("{a@1}");
  c.reason = parse_remark("It takes [[{a@1}]] s.", here);

  CHECK(judged(c, {a_row("table1", "a", "1", 3)}).reason == "It takes 3 s.");
}

TEST_CASE("a malformed number in a reason is refused with file and line") {
  const auto complaint = [](const std::string& text) {
    return complaint_of<bad_input>([&] { parse_remark(text, here); });
  };

  CHECK_THAT(complaint("It takes [[{a@1} s."),
             ContainsSubstring("claims.csv, line 2: the reason has a [[ without"));
  CHECK_THAT(complaint("It takes [[{a}]] s."), ContainsSubstring("{a} is not {VARIANT@SIZE...}"));
  CHECK_THAT(complaint("It takes [[{a@1}*]] s."), ContainsSubstring("claims.csv, line 2"));
  CHECK_THAT(complaint("It takes [[each({a@*})]] s."), ContainsSubstring("no one number"));
  CHECK_THAT(complaint("It takes [[3]] s."), ContainsSubstring("no one number"));
  CHECK_THAT(complaint("It takes [[{a@1}=3]] s."), ContainsSubstring("a lone ="));
  CHECK_THAT(complaint("It takes [[{a@1} s. B [[{a@1}]] s."), ContainsSubstring("a [[ without its ]]"));
  CHECK_THAT(complaint("It takes [[{a@1}]]]] s."), ContainsSubstring("a ]] without its [["));
  CHECK_THAT(complaint("It takes [{a@1}] s."), ContainsSubstring("a brace outside"));
}

TEST_CASE("no reason of a claim tells a recorded number that does not come from a row") {
  static const std::regex recorded("\\b[Rr]ecorded\\b");
  static const std::regex digit("\\d");
  for (const auto& [id, s, at, family] : all_sentences()) {
    const auto text = plain_text(s);
    INFO(id << ": " << text);
    CHECK_FALSE((std::regex_search(text, recorded) && std::regex_search(text, digit) && s.numbers.empty()));
  }
}

TEST_CASE("the recorded runs have each number of each claim's reason") {
  std::vector<run> runs;
  for (const auto& folder : benchmarks::recorded_runs(source_dir())) runs.push_back(read_run(folder));
  for (const auto& [id, s, at, family] : all_sentences()) {
    if (s.numbers.empty()) continue;
    INFO(id << ": " << plain_text(s));
    const auto metric = usual_metric(family);
    CHECK(remark{{s}, at}.with_numbers({family.word, metric, runs, {}}) != "");
  }
}
