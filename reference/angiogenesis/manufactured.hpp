// SPDX-License-Identifier: MIT
// A manufactured solution of angiogenesis.
#pragma once

#include "reference/angiogenesis/operators.hpp"

namespace reprise::reference::angiogenesis {

// A solution whose slopes vanish at both ends, and the sources that make it exact. C vanishes at x = 0, where
// T has a slope: with C > 0 there, the readings of the taxis terms would imply different boundary conditions.
state manufactured(const problem& p, double t);
state manufactured_source(const problem& p, double t);

}  // namespace reprise::reference::angiogenesis
