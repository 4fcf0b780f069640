// SPDX-License-Identifier: MIT
// Tests cases as keys, as text and as CSV columns, and the numbers read from their sizes.
#include "reports/store/case_id.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <unordered_set>

#include "reports/store/row.hpp"

namespace {

using namespace reprise::reports;

const number_id usual{{"jacobi/table1", "jacobi/cuda_2d", "cuda:0", "single", "512x1024", "a=1,2"}, "time"};

}  // namespace

TEST_CASE("rows and samples are of the same case where all that names it is the same") {
  const row r{usual, "a run", 1};
  sample s{usual, "another run", 0, 2};
  CHECK(same_case(r, s));
  s.metric = "gflops";
  CHECK(same_case(r, s));
  CHECK(static_cast<const number_id&>(s) != usual);
  const std::unordered_set<case_id> known{r};
  CHECK(known.contains(s));
  s.parameter = "a=2";
  CHECK_FALSE(known.contains(s));
}

TEST_CASE("a case is printed without what it does not say") {
  CHECK(case_text(usual) == "jacobi/table1 cuda_2d cuda:0 single 512x1024 a=1,2");
  auto part = without_experiment(usual);
  part.parameter.clear();
  CHECK(case_text(part) == "jacobi/cuda_2d cuda:0 single 512x1024");
  CHECK(case_text({"harness/roofs", "harness/roofs", "cpu", "", "", ""}) == "harness/roofs roofs cpu");
}

TEST_CASE("a case's columns read back in their order") {
  CHECK(csv_fields(usual) == "jacobi/table1,jacobi/cuda_2d,cuda:0,single,512x1024,\"a=1,2\",time");
  const std::array<std::string, 7> columns{"e", "v", "d", "p", "s", "a", "m"};
  CHECK(number_in(columns) == number_id{{"e", "v", "d", "p", "s", "a"}, "m"});
}

TEST_CASE("sizes have a width and nodes where they are made of numbers") {
  CHECK(width_of("512x1024") == 512);
  CHECK(nodes_of("512x1024") == 512 * 1024);
  CHECK(nodes_of("2562") == 2562);
  CHECK(std::isnan(width_of("")));
  CHECK(std::isnan(nodes_of("wide")));
}
