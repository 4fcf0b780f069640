// SPDX-License-Identifier: MIT
// Tests the rows computed from the angiogenesis paper's times: speed-ups, exponents,
// Amdahl's limit and the split.
#include "benchmarks/angiogenesis/rates.hpp"

#include <algorithm>

#include "benchmarks/angiogenesis/solves.hpp"
#include "verification/tests/support/every_variant.hpp"
#include "verification/tests/support/measured_rows.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using reports::row;

namespace {

row measured(const std::string& variant, int nodes, const std::string& parameter, const std::string& metric,
             double value) {
  row r = testing::measured_row("angiogenesis/" + variant, std::to_string(nodes) + "x1", parameter, metric,
                                value);
  r.experiment = "angiogenesis/made_up";
  if (variant.starts_with("cuda")) r.device = "cuda:0";
  r.q1 = .99 * value;
  r.q3 = 1.02 * value;
  return r;
}

const std::string every_solve = "factor=every_solve";

// The core's time grows like M^3, the GPU's like M; a tenth of the GPU's time is the serial part.
std::vector<row> measured_solves() {
  std::vector<row> rows;
  for (int nodes : {25, 50, 100, 400}) {
    const double gpu = 1e-4 * nodes;
    rows.push_back(
        measured("cpu_elimination", nodes, every_solve, "time_solve", 1e-7 * nodes * nodes * nodes));
    for (const auto& [metric, share] :
         {std::pair{"time_solve", 1.}, {"part_back", .06}, {"part_transfer", .04}})
      rows.push_back(measured("cuda_elimination", nodes, every_solve, metric, share * gpu));
    rows.push_back(measured("cuda_elimination", nodes, "factor=once", "time_solve", 7));
  }
  return rows;
}

double value_of(const std::vector<row>& rows, const std::string& variant, const std::string& metric,
                const std::string& parameter = every_solve) {
  const auto is_it = [&](const row& r) {
    return r.variant == "angiogenesis/" + variant && r.size == "400x1" && r.parameter == parameter &&
           r.metric == metric;
  };
  return testing::only_row(rows, is_it).value;
}

}  // namespace

TEST_CASE("solves are set against one core and their spread is said") {
  const auto rows = angiogenesis_cases::speedups(measured_solves());
  CHECK_THAT(value_of(rows, "cuda_elimination", "speedup_over_serial"), WithinRel(160, 1e-9));
  CHECK_THAT(value_of(rows, "cpu_elimination", "spread"), WithinRel(3, 1e-9));
  for (const row& r : rows) CHECK((r.metric == "spread" || r.parameter == every_solve));
}

TEST_CASE("exponents and Amdahl's limit come from the measured times and parts") {
  const auto rows = angiogenesis_cases::exponents(measured_solves());
  CHECK_THAT(value_of(rows, "cpu_elimination", "time_exponent"), WithinRel(3, 1e-9));
  CHECK_THAT(value_of(rows, "cuda_elimination", "time_exponent"), WithinRel(1, 1e-9));
  CHECK_THAT(value_of(rows, "cuda_elimination", "amdahl_limit"), WithinRel(1600, 1e-9));
  CHECK_THAT(value_of(rows, "cuda_elimination", "share_of_amdahl"), WithinRel(10, 1e-9));
}

TEST_CASE("the split gives the parts and the time that they divide the names that claims use") {
  const std::string watched =
      angiogenesis_cases::solve_parameter({.when = angiogenesis::factoring::every_solve, .is_watched = true});
  const auto rows =
      angiogenesis_cases::split(std::vector{measured("cuda_elimination", 400, watched, "time_solve", .1),
                                            measured("cuda_elimination", 400, watched, "part_eliminate", .08),
                                            measured("cuda_elimination", 400, watched, "part_back", .01)});
  CHECK(value_of(rows, "cuda_elimination", "time_solve") == .1);
  CHECK(value_of(rows, "cuda_elimination", "time_part", "part=eliminate") == .08);
  CHECK(value_of(rows, "cuda_elimination", "time_part", "part=back") == .01);
  CHECK_THAT(value_of(rows, "cuda_elimination", "tflops_paper", ""),
             WithinRel(1.28e6 * 1599 / .08 * 1e-12, 1e-9));
}

TEST_CASE("the preset paper fits the growth of the difference through twice as many steps as quick") {
  const auto steps = [](preset level) {
    const auto plans = verification::experiment_of("angiogenesis/fig3").plan({.level = level});
    return std::ranges::count(plans, "angiogenesis/cuda_elimination", &case_plan::variant);
  };

  CHECK(steps(preset::quick) >= 5);
  CHECK(steps(preset::paper) >= 2 * steps(preset::quick));
}
