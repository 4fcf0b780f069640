// SPDX-License-Identifier: MIT
// What is computed from the rows of cases on several ranks.
#pragma once

#include <span>
#include <vector>

#include "reports/row.hpp"

namespace reprise::harness::scale {

// One rank's time over the ranks' times their number, on the same sphere.
std::vector<reports::row> strong_efficiency(std::span<const reports::row> rows);

// A rank's cells in a second over those of one rank alone, on a sphere of its own.
std::vector<reports::row> weak_efficiency(std::span<const reports::row> rows);

// For 8 to 1024 ranks, on the largest sphere measured: see scale_model.hpp.
std::vector<reports::row> predictions(std::span<const reports::row> rows);

}  // namespace reprise::harness::scale
