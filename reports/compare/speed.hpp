// SPDX-License-Identifier: MIT
// Compares two runs of the same experiments on the same device: what became faster
// or slower, and what is noise.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/compare/noise.hpp"
#include "reports/store/run.hpp"
#include "reports/store/statistics.hpp"

namespace reprise::reports {

// - same: the interval of the shift lies within the noise floor
// - faster: the shift exceeds the floor, and its interval does not include zero
// - slower: likewise
// - undecided: the interval is too wide for a verdict, there are too few samples, or something disturbed them
// - wrong: the second run's answer was wrong
enum class speed_change { same, faster, slower, undecided, wrong };
std::string_view to_string(speed_change v);

struct speed_result {
  timed_case of;
  speed_change change{};
  double a_seconds{no_value}, b_seconds{no_value};  // medians
  std::optional<shift> between{};                   // from a to b
  noise_floor floor;
  std::string reason{};  // why it is undecided or wrong
};

// A shift in per cent: 5 for ln 1.05.
double percent(double log_shift);

// Compares samples of the same case. Neither list may be empty.
speed_result compare_case(const timed_case& of, const std::vector<double>& a, const std::vector<double>& b,
                          const noise_floor& floor);

struct speed_comparison {
  std::vector<speed_result> results;
  std::size_t only_in_a{}, only_in_b{};  // number of timed cases in one run only

  std::size_t count(speed_change v) const;
};

// Compares the cases that both runs timed, and adds wrong answers of the second run.
speed_comparison compare_speed(const run& a, const run& b, std::span<const case_noise> noise);

// A result in words: the case; and both medians, the shift and the reason.
std::string timing_text(const timed_case& c);
std::string numbers_text(const speed_result& f);

// All results except those that are the same (unless `with_same`), followed by a line of counts.
std::string to_text(const speed_comparison& c, bool with_same);
std::string to_csv(const speed_comparison& c);

// The columns and the line of a result, for tables that add further columns.
constexpr std::array<std::string_view, 16> speed_columns{
    "verdict",      "device", "experiment", "variant",       "precision",   "size",         "parameter",
    "metric",       "a",      "b",          "shift_percent", "low_percent", "high_percent", "floor_percent",
    "floor_source", "reason"};
std::string csv_line(const speed_result& f);

}  // namespace reprise::reports
