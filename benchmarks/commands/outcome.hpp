// SPDX-License-Identifier: MIT
// The result of a command, which main maps to the exit status.
#pragma once

#include "benchmarks/harness/runner.hpp"

namespace reprise::benchmarks {

// undecided: there are too few samples to judge a case, or a run is incomplete.
enum class outcome { good, wrong, slower, undecided, nothing_ran };

inline outcome outcome_of(const harness::run_outcome& counts) {
  if (counts.failed > 0) return outcome::wrong;
  return counts.measured > 0 ? outcome::good : outcome::nothing_ran;
}

}  // namespace reprise::benchmarks
