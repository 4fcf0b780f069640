// SPDX-License-Identifier: MIT
// Tests the rows computed from the angiogenesis paper's times: speed-ups, exponents,
// Amdahl's limit and the split.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "benchmarks/angiogenesis/rates.hpp"
#include "benchmarks/angiogenesis/solves.hpp"

using namespace reprise;
using namespace reprise::harness;
using Catch::Matchers::WithinRel;
using reports::row;

namespace {

row measured(const std::string& variant, int nodes, const std::string& parameter, const std::string& metric,
             double value) {
  row r;
  r.experiment = "angiogenesis/made_up";
  r.variant = "angiogenesis/" + variant;
  r.device = variant.starts_with("cuda") ? "cuda:0" : "cpu";
  r.size = std::to_string(nodes) + "x1";
  r.parameter = parameter;
  r.metric = metric;
  r.value = value;
  r.q1 = .99 * value;
  r.q3 = 1.02 * value;
  r.status = "ok";
  return r;
}

// The core's time grows like M^3, the GPU's like M; a tenth of the GPU's time is the serial part.
std::vector<row> measured_solves() {
  std::vector<row> rows;
  for (int nodes : {25, 50, 100, 400}) {
    const double gpu = 1e-4 * nodes;
    rows.push_back(
        measured("cpu_elimination", nodes, "factor=every_solve", "time_solve", 1e-7 * nodes * nodes * nodes));
    rows.push_back(measured("cuda_elimination", nodes, "factor=every_solve", "time_solve", gpu));
    rows.push_back(measured("cuda_elimination", nodes, "factor=every_solve", "part_back", .06 * gpu));
    rows.push_back(measured("cuda_elimination", nodes, "factor=every_solve", "part_transfer", .04 * gpu));
    rows.push_back(measured("cuda_elimination", nodes, "factor=once", "time_solve", 7));
  }
  return rows;
}

double value_of(const std::vector<row>& rows, const std::string& variant, int nodes,
                const std::string& parameter, const std::string& metric) {
  const row like = measured(variant, nodes, parameter, metric, 0);
  const auto same = [&](const row& r) {
    return r.variant == like.variant && r.size == like.size && r.parameter == like.parameter &&
           r.metric == metric;
  };
  REQUIRE(std::ranges::count_if(rows, same) == 1);
  return std::ranges::find_if(rows, same)->value;
}

}  // namespace

TEST_CASE("solves are set against one core and their spread is said") {
  const auto rows = angiogenesis_cases::speedups(measured_solves());
  CHECK_THAT(value_of(rows, "cuda_elimination", 400, "factor=every_solve", "speedup_over_serial"),
             WithinRel(160, 1e-9));
  CHECK_THAT(value_of(rows, "cpu_elimination", 400, "factor=every_solve", "spread"), WithinRel(3, 1e-9));
  for (const row& r : rows) CHECK((r.metric == "spread" || r.parameter == "factor=every_solve"));
}

TEST_CASE("exponents and Amdahl's limit come from the measured times and parts") {
  const auto rows = angiogenesis_cases::exponents(measured_solves());
  CHECK_THAT(value_of(rows, "cpu_elimination", 400, "factor=every_solve", "time_exponent"),
             WithinRel(3, 1e-9));
  CHECK_THAT(value_of(rows, "cuda_elimination", 400, "factor=every_solve", "time_exponent"),
             WithinRel(1, 1e-9));
  CHECK_THAT(value_of(rows, "cuda_elimination", 400, "factor=every_solve", "amdahl_limit"),
             WithinRel(1600, 1e-9));
  CHECK_THAT(value_of(rows, "cuda_elimination", 400, "factor=every_solve", "share_of_amdahl"),
             WithinRel(10, 1e-9));
}

TEST_CASE("the split gives the parts and the time that they divide the names that claims use") {
  const std::string watched = angiogenesis_cases::solve_parameter(angiogenesis::factoring::every_solve, true);
  const auto rows =
      angiogenesis_cases::split(std::vector{measured("cuda_elimination", 400, watched, "time_solve", .1),
                                            measured("cuda_elimination", 400, watched, "part_eliminate", .08),
                                            measured("cuda_elimination", 400, watched, "part_back", .01)});
  CHECK(value_of(rows, "cuda_elimination", 400, "factor=every_solve", "time_solve") == .1);
  CHECK(value_of(rows, "cuda_elimination", 400, "part=eliminate", "time_part") == .08);
  CHECK(value_of(rows, "cuda_elimination", 400, "part=back", "time_part") == .01);
  CHECK_THAT(value_of(rows, "cuda_elimination", 400, "", "tflops_paper"),
             WithinRel(1.28e6 * 1599 / .08 * 1e-12, 1e-9));
}
