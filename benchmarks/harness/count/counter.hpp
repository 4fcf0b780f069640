// SPDX-License-Identifier: MIT
// Counts the cases of a build: checks each, then runs it once under Callgrind.
#pragma once

#include <iosfwd>

#include "benchmarks/harness/count/counts.hpp"
#include "benchmarks/harness/duel/programs.hpp"
#include "benchmarks/harness/run_request.hpp"

namespace reprise::counting {

struct count_request {
  harness::run_request of;  // its cases
  bool has_all{};           // otherwise the smallest case of each variant in each precision is enough
  int at_once{1};           // processes
  int seconds_per_case{120};
};

// Throws bad_input if the program cannot be counted, or has no such case.
counts counted(const duels::contestant& who, const count_request& request, std::ostream& progress);

}  // namespace reprise::counting
