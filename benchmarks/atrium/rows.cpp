// SPDX-License-Identifier: MIT
// Computes speed-ups, the points of Fig 4, times at equal errors, and the gain of Rush-Larsen.
#include "benchmarks/atrium/rows.hpp"

#include <fmt/core.h>

#include <cmath>
#include <map>
#include <utility>

#include "benchmarks/atrium/cases.hpp"
#include "benchmarks/harness/derivation.hpp"
#include "reports/judging/equal_error.hpp"
#include "reports/store/parameters.hpp"

namespace reprise::harness::atrium_cases {

using reports::row;

std::vector<row> speedups(std::span<const row> rows) {
  std::vector<row> all;
  const speedup over_processors{"atrium/openmp_aos", "speedup_over_processors",
                                "over openmp_aos, all cores, in this run"};
  for (const row& r : rows)
    if (is_right(r, time_metric)) add(over_processors, all, rows, r);
  return all;
}

std::vector<row> scatter(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& time : rows)
    for (const row& error : rows)
      if (is_right(time, time_metric) && is_right(error, "lrel_error") && same_case(time, error)) {
        row point = derived(error, "error_at_time", error.value, "1", "the interpolated relative error");
        point.parameter = fmt::format("{};precision={};time={:.6g}",
                                      reports::parameters(time.parameter).only("method").text(),
                                      time.precision, time.value);
        all.push_back(std::move(point));
      }
  return all;
}

std::vector<row> times_at_rrms(std::span<const row> rows) {
  std::map<reports::case_id, std::vector<reports::work_point>> points;
  std::map<reports::case_id, row> likes;
  for (const row& error : rows) {
    if (!is_right(error, "rrms")) continue;
    const auto seconds = value_by(error.variant, time_metric, rows, error);
    if (!seconds) continue;
    row like = error;
    like.parameter = reports::parameters(error.parameter).only("method").text();
    points[like].push_back({error.value, *seconds});
    likes.try_emplace(like, like);
  }
  std::vector<row> all;
  for (const auto& [of, measured] : points)
    for (const int digits : {2, 3}) {
      const auto found = reports::time_at_error(measured, std::pow(10, -digits));
      row time =
          derived(likes.at(of), fmt::format("time_at_rrms_1e-{}", digits), found.seconds, "s", found.reason);
      if (std::isnan(found.seconds)) time.status = "skipped";
      all.push_back(std::move(time));
    }
  return all;
}

std::vector<row> gains(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& with : rows)
    for (const row& without : rows)
      if (is_right(with, "largest_stable_dt") && is_right(without, "largest_stable_dt") &&
          with.variant == without.variant && with.device == without.device && with.size == without.size &&
          with.parameter.starts_with("method=euler;gates=rush_larsen") &&
          without.parameter.starts_with("method=euler;gates=plain")) {
        row gain =
            derived(with, "gain_of_rush_larsen", with.value / without.value, "1", "in the largest step");
        gain.parameter.clear();
        all.push_back(std::move(gain));
      }
  return all;
}

}  // namespace reprise::harness::atrium_cases
