// SPDX-License-Identifier: MIT
// What is computed from the atrium paper's rows.
#pragma once

#include <span>
#include <vector>

#include "reports/row.hpp"

namespace reprise::harness::atrium_cases {

// Over the paper's code for processors, of the same steps in the same run.
std::vector<reports::row> speedups(std::span<const reports::row> rows);

// Fig 4: the error at the time that it took, which becomes a part of the row's parameter, as the precision
// does.
std::vector<reports::row> scatter(std::span<const reports::row> rows);

// The largest step of Euler with Rush-Larsen over that without.
std::vector<reports::row> gains(std::span<const reports::row> rows);

}  // namespace reprise::harness::atrium_cases
