// SPDX-License-Identifier: MIT
// Checks the control of adaptive steps by sequences of attempts that meet every one of its rules: growth and
// shrinking at their limits and between them, rejected steps, bad cells, stimuli that cut a step, and both ways of
// giving up.
#pragma once

#include <vector>

#include "solvers/atrium/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::atrium {

// Attempts of a pair with Rush-Larsen, against those of the reference's own controller.
std::vector<checkers::finding> verify_controller(reprise::atrium::solver& s, reprise::atrium::scheme pair,
                                                 precision arithmetic);

}  // namespace reprise::verification::atrium
