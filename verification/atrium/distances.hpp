// SPDX-License-Identifier: MIT
// Distances between states of a sphere. All are NaN if a value is, and if the numbers of cells differ.
#pragma once

#include <vector>

#include "solvers/atrium/problem.hpp"

namespace reprise::verification::atrium {

using state_of_cells = std::vector<reprise::atrium::cell_state>;

// The largest difference of a variable relative to its scale.
double cell_distance(const reprise::atrium::cell_state& a, const reprise::atrium::cell_state& b,
                     const reprise::atrium::cell_state& scale);
double distance(const state_of_cells& a, const state_of_cells& b, const reprise::atrium::cell_state& scale);

// The largest magnitude of each variable over all cells.
reprise::atrium::cell_state scale_of(const state_of_cells& y);

}  // namespace reprise::verification::atrium
