// SPDX-License-Identifier: MIT
// Tests which claims and bounds are refused, and that the refusal names file, line and mistake.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <string>

#include "reports/judging/claims.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_claims.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using namespace reprise::reports;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

std::string refusal(const std::string& line) {
  return complaint_of<bad_input>([&] { claims_in(line + "\n"); });
}

}  // namespace

TEST_CASE("a malformed claim is refused with its file and line") {
  const auto refused = [](const std::string& line, const char* expected) {
    const auto text = refusal(line);
    CHECK_THAT(text, ContainsSubstring("jacobi.csv"));
    CHECK_THAT(text, ContainsSubstring("line 2"));
    CHECK_THAT(text, ContainsSubstring(expected));
  };
  const auto with_quantity = [](const std::string& q) { return "c,,,,shown," + csv::field(q) + ",,,,,,,"; };

  refused("c,,,,opinion,1,,,,,,,", "class \"opinion\" is none of");
  refused("c,,,,shown,1,,,,,,", "Too few columns");
  refused("c,,,,shown,1,one,,,,,,", "\"one\" in column published");
  refused("c,first,,,shown,1,,,,,,,", "\"first\" in column headline");
  refused("c,1,,,shown,1,,,,,,,", "is a headline and no conclusion");
  refused("c,,,,shown,1,1,,about,,,,", "is only shown and has no bound");
  refused("c,,,,number,1,1,,roughly so,,,,", "the bound \"roughly so\" is not in bounds.csv");
  refused("c,,,,number,1,1,,,,,,", "can have no verdict");
  refused("c,,,,number,1,,,about,,,,", "which needs a published number");
  refused("c,,,,number,1,1,,about,beats,,,", "only a conclusion may have");
  refused("c,,,,number,1,1,,about,,differs,,", "has the wrong verdict in otherwise");
  refused("c,,,,conclusion,1,1,,about,,,,", "has the wrong verdict in otherwise");
  refused("c,,,,conclusion,1,1,,about,,misprint,,", "has the wrong verdict in otherwise");
  refused("c,,,,conclusion,1,1,,about,,not any more,,", "\"not any more\" is no verdict");
  refused("c,,,,arithmetic,1,1,,about,,no longer,,", "has the wrong verdict in otherwise");
  refused("c,,,,arithmetic,{a@1},1,,about,,misprint,,", "needs source=published");
  refused("c,,,,shown,1 | 2,,,,,,,", "each of several parts needs a label");
  refused(",,,,shown,1,,,,,,,", "the id \"\" is not a new one");
  refused(with_quantity(""), "Expression is empty");
  refused(with_quantity("{a@1"), "a { without its }");
  refused(with_quantity("a@1}"), "a } without its {");
  refused(with_quantity("{a}"), "{a} is not {VARIANT@SIZE...}");
  refused(with_quantity("{a@}"), "no size after its @");
  refused(with_quantity("{a@1,colour=red}"), "\"colour=red\" in {a@1,colour=red} is none of");
  refused(with_quantity("{a@1,source=elsewhere}"), "is none of");
  refused(with_quantity("{a@1,device=}"), "is none of");
  refused(with_quantity("{a@1}+"), "is no expression");
  refused(with_quantity("{a@1} && {b@1}=={c@1}"), "put brackets around what belongs together");
  refused(with_quantity("max(1,{a@1}>2 || {b@1}>2 && {c@1}>2)"), "put brackets around what belongs together");
  refused(with_quantity("{a@1}2"), "is no expression");
  refused(with_quantity("{a@1}{b@1}"), "is no expression");
  refused(with_quantity("cuda_2d"), "is no expression");
  refused(with_quantity("system(1)"), "is no expression");
  refused(with_quantity("1,2"), "several values");
  refused(with_quantity("{a*@1}"), "may stand for several numbers");
  refused(with_quantity("max({a*@1}/2)"), "may stand for several numbers");
  refused(with_quantity("({a*@1})"), "may stand for several numbers");
  refused(with_quantity("sin({a*@1})"), "is no expression");
  refused(with_quantity("each({a@1}/{b@1})"), "each(...) needs exactly one selector");
  refused(with_quantity(std::string(9000, '(')), "longer than 8000");
  refused(with_quantity(std::string(7000, '(')), "is no expression");
}

TEST_CASE("two claims of one id or with one place among the headlines are refused") {
  CHECK_THAT(refusal("c,,,,shown,1,,,,,,,\nc,,,,shown,2,,,,,,,"), ContainsSubstring("line 3: the id \"c\""));
  CHECK_THAT(refusal("c,1,,,conclusion,1,,,beats,,no longer,,\nd,1,,,conclusion,1,,,beats,,no longer,,"),
             ContainsSubstring("line 3: headline 1 is not a new number"));
}

TEST_CASE("a malformed bound is refused with its file and line") {
  const auto refused = [](const std::string& line, const char* expected) {
    const temporary_folder folder;
    put(folder / "bounds.csv", "kind,of,range,sentence,reason\n" + line + "\n");
    const auto text = complaint_of<bad_input>([&] { read_bounds(folder / "bounds.csv"); });
    CHECK_THAT(text, ContainsSubstring("bounds.csv, line 2"));
    CHECK_THAT(text, ContainsSubstring(expected));
  };

  refused("k,percent,>1,,", "counts \"percent\", which is none of");
  refused("k,value,,,", "has no range");
  refused("k,value,1,,", "the range is none of");
  refused("k,value,>,,", "the range has no number");
  refused("k,value,3..1,,", "the range is not from low to high");
  refused("k,value,1..,,", "the range is not from low to high");
  refused("k,value,>x,,", "in column range");
}
