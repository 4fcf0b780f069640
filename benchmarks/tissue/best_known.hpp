// SPDX-License-Identifier: MIT
// The states with which the ends of runs are compared.
#pragma once

#include "benchmarks/tissue/task.hpp"
#include "reference/tissue/reference.hpp"

namespace reprise::harness::tissue_cases {

// The most accurate state available, and its uncertainty: the distance from the result of a tolerance ten times as
// large. That is the error of the latter, and so an upper bound of the former's.
struct best_known {
  reference::tissue::state z;
  double uncertainty{};
};

// Returns the best known state of this problem, which the task and a size make, and keeps it for the next case.
const best_known& best_known_of(const task& t, const tissue::problem& p);

}  // namespace reprise::harness::tissue_cases
