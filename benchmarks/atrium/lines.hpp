// SPDX-License-Identifier: MIT
// The lines of the atrium paper's Figs 1 and 2: voltages of recorded cells over time.
#pragma once

#include <vector>

#include "benchmarks/harness/experiment.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::atrium_cases {

// Fig 1: four cells, from the first that is activated to the last, at evenly spaced times.
std::vector<found> lines_of(const atrium::recording& r, const atrium::problem& p);

// Figs 2 and 3: the cell that the reference activates last, from 2 ms before to 6 ms after its activation, the
// difference from the reference, and the distances along the voltage and along the time.
std::vector<found> front_lines(const atrium::recording& r, const atrium::recording& reference);

}  // namespace reprise::harness::atrium_cases
