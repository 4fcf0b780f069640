// SPDX-License-Identifier: MIT
// Rows computed from the rows of solves.
#pragma once

#include <span>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::harness::angiogenesis_cases {

std::vector<reports::row> speedups(std::span<const reports::row> rows);      // and spreads: Table 2
std::vector<reports::row> exponents(std::span<const reports::row> rows);     // and Amdahl's numbers: Fig 2
std::vector<reports::row> split(std::span<const reports::row> rows);         // Table 4
std::vector<reports::row> kernel_rates(std::span<const reports::row> rows);  // Table 3

}  // namespace reprise::harness::angiogenesis_cases
