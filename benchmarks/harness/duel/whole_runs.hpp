// SPDX-License-Identifier: MIT
// A bout of two programs of which at least one knows no duels: each makes a whole run of the case.
#pragma once

#include <random>

#include "benchmarks/harness/duel/bout.hpp"
#include "reports/compare/noise.hpp"

namespace reprise::duels {

// With a smaller margin, whole runs are never called the same: they are minutes apart.
constexpr double whole_runs_floor = reports::default_floor;

// Throws foul if a run fails or lacks the case.
bout_result fight_by_runs(const ring& in, const bout_case& c, std::mt19937_64& random);

}  // namespace reprise::duels
