// SPDX-License-Identifier: MIT
// Rows computed from the atrium paper's measured rows.
#pragma once

#include <span>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::harness::atrium_cases {

// Speed-ups over openmp_aos, the paper's CPU code, with the same steps in the same run.
std::vector<reports::row> speedups(std::span<const reports::row> rows);

// Fig 4: the error against the time that it took. Time and precision become parts of the row's parameter.
std::vector<reports::row> scatter(std::span<const reports::row> rows);

// The time of each method for an RRMS of 1e-2 and 1e-3, between its settings. Where its errors do not reach that far a row
// says so.
std::vector<reports::row> times_at_rrms(std::span<const reports::row> rows);

// The largest stable step of Euler with Rush-Larsen, divided by that without.
std::vector<reports::row> gains(std::span<const reports::row> rows);

}  // namespace reprise::harness::atrium_cases
