// SPDX-License-Identifier: MIT
// Rows computed from the rows of cases on several ranks.
#pragma once

#include <span>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::harness::scale {

// One rank's time, divided by the number of ranks and their time, on the same sphere.
std::vector<reports::row> strong_efficiency(std::span<const reports::row> rows);

// Cells per second and rank, divided by those of a single rank on its own, smaller sphere.
std::vector<reports::row> weak_efficiency(std::span<const reports::row> rows);

// Predictions for 8 to 1024 ranks on the largest measured sphere: see benchmarks/scale/model.hpp.
std::vector<reports::row> predictions(std::span<const reports::row> rows);

}  // namespace reprise::harness::scale
