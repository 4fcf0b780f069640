// SPDX-License-Identifier: MIT
// The problems on which `reprise verify` checks the tissue variants.
#pragma once

#include <span>
#include <vector>

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness::tissue_cases {

// Checks a variant on all problems or, if sizes are given, on hills of those sizes.
std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes);

}  // namespace reprise::harness::tissue_cases
