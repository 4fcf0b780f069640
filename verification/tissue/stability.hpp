// SPDX-License-Identifier: MIT
// When a step of a tissue is stable: a small disturbance of the highest modes decays. A state that merely stays bounded
// proves nothing, because the models' cubic terms stop a growing checkerboard at the height of a wave.
#pragma once

#include <vector>

#include "reference/tissue/reference.hpp"
#include "solvers/tissue/problem.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::tissue {

constexpr long stability_steps = 400;

// The same problem with a checkerboard of this height on the fields that diffuse: far above rounding, and so far
// below the models' scales that it obeys their linearisation.
constexpr double disturbance = 1e-6;
reprise::tissue::problem disturbed(reprise::tissue::problem p);

// The root mean square of the checkerboard in the difference of two states: of what remains after the filter
// (1 - cos a) (1 - cos b) / 4, which passes the highest mode whole and removes smooth differences. NaN if a value is.
double checkerboard(const reprise::tissue::problem& p, const reference::tissue::state& a,
                    const reference::tissue::state& b);

// Whether the disturbance of the beginning is smaller at the end. `plain` and `rough` are the states after
// stability_steps from the problem and from the disturbed one.
bool has_decayed(const reprise::tissue::problem& p, const reference::tissue::state& plain,
                 const reference::tissue::state& rough);

// Whether the reference puts the limit where a search has found it: its disturbance decays with the largest stable
// step, and does not with the shortest unstable one.
std::vector<checkers::finding> judge_limit(const reprise::tissue::problem& p, reprise::tissue::method how,
                                           double stable_dt, double unstable_dt);

}  // namespace reprise::verification::tissue
