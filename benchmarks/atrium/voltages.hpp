// SPDX-License-Identifier: MIT
// The voltages of all cells of a sphere, for readers.
#pragma once

#include <span>

#include "benchmarks/harness/subject.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::harness::atrium_cases {

// A map over longitude and latitude in degrees, each point with the voltage of the nearest cell; an array with x, y, z
// (mm) and V (mV) of each cell; and the extreme voltages.
final_state voltages(const atrium::mesh& mesh, std::span<const atrium::cell_state> cells);

}  // namespace reprise::harness::atrium_cases
