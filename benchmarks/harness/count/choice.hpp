// SPDX-License-Identifier: MIT
// Which of a build's cases are counted.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/harness/duel/protocol.hpp"

namespace reprise::counting {

// A case as the program that is counted offers it.
struct countable : duels::offered_case {
  double seconds{};         // of a repeat, as far as known
  bool has_own_work{true};  // otherwise it makes many solves of other cases
};

// The parts of a parameter that are no numbers: "model=karma;method=heun" of "model=karma;method=heun;dt=0.1".
std::string kind_of(const std::string& parameter);

// One case for each variant, precision and kind that makes steps: the one with the least work. Whole solves take long
// under Callgrind: of a variant that has nothing else, one case in each precision. With `has_all`, one case of each kind. The
// cases of a variant follow each other.
std::vector<countable> chosen(std::vector<countable> cases, bool has_all);

}  // namespace reprise::counting
