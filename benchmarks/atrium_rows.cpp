// SPDX-License-Identifier: MIT
// Speed-ups, the points of Fig 4, and what Rush-Larsen gains.
#include "benchmarks/atrium_rows.hpp"

#include <fmt/core.h>

#include <utility>

#include "benchmarks/atrium_cases.hpp"

namespace reprise::harness::atrium_cases {
namespace {

using reports::row;

bool is_right(const row& r, const std::string& metric) {
  return r.metric == metric && r.status == "ok";
}

bool is_same_case(const row& a, const row& b) {
  return a.variant == b.variant && a.device == b.device && a.precision == b.precision && a.size == b.size &&
         a.parameter == b.parameter;
}

}  // namespace

std::vector<row> speedups(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows)
    for (const row& base : rows)
      if (is_right(r, time_metric) && is_right(base, time_metric) && base.variant == "atrium/openmp_aos" &&
          r.variant != base.variant && r.precision == base.precision && r.size == base.size &&
          r.parameter == base.parameter)
        all.push_back(derived(r, "speedup_over_processors", base.value / r.value, "1",
                              "over openmp_aos, all cores, in this run"));
  return all;
}

std::vector<row> scatter(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& time : rows)
    for (const row& error : rows)
      if (is_right(time, time_metric) && is_right(error, "lrel_error") && is_same_case(time, error)) {
        row point = derived(error, "error_at_time", error.value, "1", "the interpolated relative error");
        point.parameter =
            fmt::format("{};precision={};time={:.6g}", time.parameter.substr(0, time.parameter.find(';')),
                        time.precision, time.value);
        all.push_back(std::move(point));
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
