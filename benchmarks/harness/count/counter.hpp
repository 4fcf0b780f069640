// SPDX-License-Identifier: MIT
// Counts the cases of a build: checks each, then runs it once under Callgrind.
#pragma once

#include <iosfwd>
#include <stdexcept>

#include "benchmarks/harness/count/counts.hpp"
#include "benchmarks/harness/duel/programs.hpp"
#include "benchmarks/harness/run_request.hpp"

namespace reprise::counting {

struct count_request {
  std::vector<harness::run_request> of;  // its cases, in parts
  bool has_all{};                        // also whole solves of each kind
  int at_once{1};                        // processes
  int seconds_per_case{120};
};

// The program takes no part in counts: it is older than this command, or ends at once.
class uncountable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws uncountable, and bad_input if the program has no such case.
counts counted(const duels::contestant& who, const count_request& request, std::ostream& progress);

}  // namespace reprise::counting
