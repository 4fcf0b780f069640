// SPDX-License-Identifier: MIT
// The problems on which every variant of the angiogenesis solvers is checked.
#pragma once

#include <span>
#include <vector>

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness::angiogenesis_cases {

// M of the requested grids, or `own` if no sizes are requested.
std::vector<int> nodes_of(std::span<const grid_size> asked, std::vector<int> own);

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes);

}  // namespace reprise::harness::angiogenesis_cases
