// SPDX-License-Identifier: MIT
// A duel: times two programs side by side on the cases that both have, until it is clear which is faster on each.
#pragma once

#include <array>
#include <iosfwd>
#include <string>
#include <vector>

#include "benchmarks/harness/duel/bout.hpp"
#include "benchmarks/harness/duel/programs.hpp"
#include "benchmarks/harness/run_request.hpp"
#include "reports/compare/paired.hpp"

namespace reprise::duels {

struct duel_request {
  std::array<contestant, 2> sides;
  harness::run_request of;  // its cases
  bool names_cases{};       // otherwise one case of each variant on each device is enough
  mode how{mode::in_turn};
  int threads{1};
  reports::duel_rule rule;
  double seconds_per_case{20};
  std::uint64_t seed{};
};

struct judged_case {
  bout_case of;
  std::vector<double> pairs;        // logarithms, one a bout
  std::array<double, 2> seconds{};  // medians of a repeat
  reports::duel_evidence evidence;
  reports::pace verdict{reports::pace::undecided};
  std::string foul;  // why there is no verdict: a wrong answer, or a side that died
  double spent{};    // seconds of wall time
};

struct duel_result {
  std::array<nlohmann::json, 2> introductions;
  mode how{mode::in_turn};
  bool is_paired{true};  // otherwise whole runs took turns, because a side knows no duels
  std::vector<judged_case> cases;
  std::vector<std::string> left_out;  // cases that only one side has, or that differ
};

// Throws bad_input if the sides have no case in common.
duel_result hold(const duel_request& request, std::ostream& progress);

}  // namespace reprise::duels
