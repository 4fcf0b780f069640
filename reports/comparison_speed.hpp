// SPDX-License-Identifier: MIT
// Two runs of the same experiments on the same device: what became faster or slower, and what is noise.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/comparison_noise.hpp"
#include "reports/comparison_shift.hpp"
#include "reports/run_folder.hpp"

namespace reprise::reports {

// same       the interval of the shift lies within the floor: the machine does as much by itself
// faster     the shift is beyond the floor, and its interval does not reach back to none
// slower     likewise
// undecided  the interval reaches too far for either, or there are too few samples for one
// wrong      the second run's answer was wrong
enum class speed_verdict { same, faster, slower, undecided, wrong };
std::string_view to_string(speed_verdict v);

struct speed_finding {
  timed_case of;
  speed_verdict verdict{};
  double a_seconds{no_value}, b_seconds{no_value};  // medians
  std::optional<shift> between{};                   // from a to b
  noise_floor floor;
  std::string reason{};  // why it is undecided or wrong
};

// A shift as people read it: 5 where it is ln 1.05.
double percent(double log_shift);

// Of samples of the same case; neither may be empty.
speed_finding compare_case(const timed_case& of, const std::vector<double>& a, const std::vector<double>& b,
                           const noise_floor& floor);

struct speed_comparison {
  std::vector<speed_finding> findings;
  std::size_t only_in_a{}, only_in_b{};  // timed cases

  std::size_t count(speed_verdict v) const;
};

// Of the cases that both runs timed, and of wrong answers of the second.
speed_comparison compare_speed(const run& a, const run& b, std::span<const case_noise> noise);

// A finding in words: what was timed; and both medians, the shift and the reason.
std::string case_text(const timed_case& c);
std::string numbers_text(const speed_finding& f);

// All findings that are not the same, or simply all, and a line that counts.
std::string to_text(const speed_comparison& c, bool with_same);
std::string to_csv(const speed_comparison& c);

// The same for tables that say more of a finding.
std::vector<std::string> csv_columns_of_findings();
std::vector<std::string> csv_fields(const speed_finding& f);

}  // namespace reprise::reports
