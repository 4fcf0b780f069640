// SPDX-License-Identifier: MIT
// Tests rooflines and work-precision diagrams: which rows form a point, and which roof belongs to it.
#include "reports/page/efficiency.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <vector>

#include "verification/tests/support/made_up_run.hpp"

namespace {

using namespace reprise::reports;
using namespace reprise::testing;

row rate(const std::string& variant, const std::string& size, const std::string& metric, double value) {
  return with_metric(a_row("table1", variant, "cuda:0", size, value), metric, "");
}

run run_with_roofs(const std::vector<row>& rows) {
  auto r = a_run(rows);
  const auto roof = [](const char* kind, const char* precision, double value) {
    return nlohmann::json{{"device", "cuda:0"}, {"roof", kind}, {"precision", precision}, {"value", value}};
  };
  (*r.description)["roofs"] = {roof("copy_roof", "single", 100), roof("flops_roof", "double", 500),
                               roof("flops_roof", "single", 1000)};
  return r;
}

}  // namespace

TEST_CASE("a roofline has the best rate of each variant under the roof of its device and precision") {
  const std::vector<run> runs{
      run_with_roofs({rate("a", "8x8", "bandwidth_compulsory", 40), rate("a", "8x8", "gflops", 20),
                      rate("a", "16x16", "bandwidth_compulsory", 80), rate("a", "16x16", "gflops", 160),
                      rate("b", "8x8", "gflops", 7)})};

  const auto f = make_roofline("jacobi", shown_rows({}, runs), runs);

  REQUIRE(f);
  REQUIRE(f->lines.size() == 2);  // variant b has no bytes
  CHECK(f->lines[0].colour == "a");
  CHECK(f->lines[0].panel == "NVIDIA H200, single");
  CHECK(f->lines[0].points[0].x == 2);
  CHECK(f->lines[0].points[0].y == 160);
  const auto& roof = f->lines[1];
  CHECK(roof.is_roof);
  REQUIRE(roof.points.size() == 3);
  CHECK(roof.points[0].x == 2);
  CHECK(roof.points[0].y == 200);
  CHECK(roof.points[1].x == 10);
  CHECK(roof.points[2].y == 1000);
}

TEST_CASE("without roofs, or without rates, there is no roofline") {
  const std::vector<row> rates{rate("a", "8x8", "bandwidth_compulsory", 40), rate("a", "8x8", "gflops", 20)};
  const std::vector<run> without_roofs{a_run(rates)};
  const std::vector<run> without_rates{run_with_roofs({rate("a", "8x8", "gflops", 20)})};

  CHECK(!make_roofline("jacobi", shown_rows({}, without_roofs), without_roofs));
  CHECK(!make_roofline("jacobi", shown_rows({}, without_rates), without_rates));
}

TEST_CASE("roofs of other types than expected do no harm") {
  auto r = a_run({rate("a", "8x8", "bandwidth_compulsory", 40), rate("a", "8x8", "gflops", 20)});
  for (const auto& roofs :
       std::vector<nlohmann::json>{3, "roof", {1, 2}, {{{"device", "cuda:0"}, {"value", "x"}}}}) {
    (*r.description)["roofs"] = roofs;
    const std::vector<run> runs{r};
    CHECK(!make_roofline("jacobi", shown_rows({}, runs), runs));
  }
}

TEST_CASE("work and precision joins a time and an error of one case, whichever tables print them") {
  std::vector<row> rows;
  for (const auto& [size, time, error] :
       {std::tuple{"32x32", 4.0, 1e-4}, {"16x16", 1.0, 1e-2}, {"64x64", 16.0, 1e-6}}) {
    rows.push_back(rate("a", size, "error_l2", error));
    rows.push_back(rate("a", size, "time_solve", time));
    rows.back().experiment = "jacobi/table5";
  }
  rows.push_back(rate("b", "16x16", "time_solve", 1));
  for (const auto* metric : {"time_solve", "error_l2"}) {
    rows.push_back(rate("with_a_setting_of_its_own", "16x16", metric, 1));
    rows.back().parameter = "flow=willmore;eps=0.0001";
  }
  const std::vector<run> runs{a_run(rows)};

  const auto f = make_work_precision("jacobi", shown_rows({}, runs), runs);

  REQUIRE(f);
  REQUIRE(f->lines.size() == 1);
  REQUIRE(f->lines[0].points.size() == 3);
  CHECK(f->lines[0].points[0].x == 1);
  CHECK(f->lines[0].points[0].y == 1e-2);
  CHECK(f->lines[0].points[2].x == 16);
  CHECK(!make_work_precision("jacobi", {}, {}));
}
