// SPDX-License-Identifier: MIT
// Tests `reprise claims`: its output and counts for the claims and recorded runs that come with the program.
#include "benchmarks/commands/claims.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "verification/tests/support/source_dir.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace {

using namespace reprise;
using benchmarks::concern;
using Catch::Matchers::ContainsSubstring;
using reports::verdict;
using reprise::testing::complaint_of;

struct printed {
  std::string text, remarks;
  reports::verdict_counts counts;
};

printed print(const std::vector<std::string>& ids, bool as_json = false,
              const std::vector<std::string>& why = {}) {
  std::ostringstream out, remarks;
  const auto counts = benchmarks::print_claims(
      {.ids = ids, .home = testing::source_dir(), .as_json = as_json, .why = why}, out, remarks);
  return {out.str(), remarks.str(), counts};
}

}  // namespace

TEST_CASE("a claim is printed with its verdict, numbers, rows and place, and counted") {
  const auto one = print({"jacobi/time_texture"});

  CHECK(one.counts.at(verdict::shown) == 1);
  CHECK(one.counts.at(verdict::differs) == 0);
  for (const char* const text : {"shown           jacobi/time_texture (shown)", "Table 3: CUDA Texture",
                                 "the paper has 0.506 s", " table3 cuda_texture@1024x1024 cuda:0"})
    CHECK_THAT(one.text, ContainsSubstring(text));
}

TEST_CASE("globs choose papers and claims, each once") {
  const auto times = print({"jacobi/time_*", "jacobi/time_texture"});

  CHECK(times.counts.at(verdict::shown) > 1);
  CHECK(times.text.find("jacobi/time_texture") == times.text.rfind("jacobi/time_texture"));
  CHECK(print({"tissue"}).text.find("jacobi/") == std::string::npos);
  CHECK_THAT(complaint_of<bad_input>([] {
               print({"jacobi", "jacobi/no_such"});
             }),
             ContainsSubstring("'jacobi/no_such' matches no claim"));
}

TEST_CASE("without ids the headlines of all papers are printed, and conclusions are counted apart") {
  const auto all = print({});

  for (const char* const text :
       {"jacobi: A comparison of OpenGL", "\n  holds in part Texture memory makes the fastest GPU code.\n",
        "all: conclusions: ", "all: printed numbers: ", "all: the paper's arithmetic: "})
    CHECK_THAT(all.text, ContainsSubstring(text));
  CHECK(all.text.find("(conclusion)") == std::string::npos);
  // Headlines come first with ids too.
  const auto one = print({"jacobi"}).text;
  CHECK(one.find("Texture memory makes") < one.find("(conclusion)"));
}

TEST_CASE("option --why tells sentence, rows, arithmetic, bound and reason of a claim, and nothing else") {
  const auto one = print({"jacobi"}, false, {"texture_is_best"}).text;

  for (const char* const text :
       {"jacobi/texture_is_best: holds in part\n", "sentence    Abstract", "rows        jacobi",
        " table3 cuda_texture", "arithmetic  Table 3: 0.017", "bound       \"wins\": below 1",
        "otherwise   no longer", "reason      A ranking"})
    CHECK_THAT(one, ContainsSubstring(text));
  CHECK(one.find("texture_speedup") == std::string::npos);
  CHECK(print({}, false, {"jacobi/texture_is_best"}).text == one);
  CHECK_THAT(complaint_of<bad_input>([] { print({"jacobi"}, false, {"no_such"}); }),
             ContainsSubstring("'no_such' matches no claim"));
}

TEST_CASE("a derived cell that does not follow is printed with its arithmetic, and is no verdict") {
  const auto one = print({"curvature/table7_cuda_merson_over_serial_256"});

  CHECK_THAT(one.text, ContainsSubstring("does not follow curvature/table7_cuda_merson_over_serial_256"));
  CHECK_THAT(one.text, ContainsSubstring("printed 21, recomputed 2.12213"));
  CHECK_THAT(one.text, ContainsSubstring("197424/93031"));
  for (const auto& [v, count] : one.counts) CHECK(count == 0);
}

TEST_CASE("claims as JSON have what the text has") {
  const auto document = nlohmann::json::parse(print({"jacobi/time_texture"}, true).text);

  const auto& claims = document["papers"]["jacobi"]["claims"];
  REQUIRE(claims.size() == 1);
  CHECK(claims[0]["verdict"] == "shown");
  CHECK(claims[0]["published"] == 0.506);
  CHECK(document["papers"]["tissue"]["claims"].empty());
}

TEST_CASE("a concern has a name") {
  CHECK(benchmarks::parse_concern("refuted") == concern::refuted);
  CHECK(benchmarks::parse_concern("undecided") == concern::undecided);
  CHECK(benchmarks::parse_concern("any") == concern::any);
  CHECK(benchmarks::parse_concern("never") == concern::never);
  CHECK_THAT(complaint_of<bad_input>([] { benchmarks::parse_concern("doubt"); }),
             ContainsSubstring("'doubt' is unknown: give one of refuted, undecided, any, never"));
}
