// SPDX-License-Identifier: MIT
// The problems on which `reprise verify` checks the atrium variants.
#pragma once

#include <span>
#include <vector>

#include "benchmarks/harness/experiment.hpp"

namespace reprise::harness::atrium_cases {

// Checks a variant on all problems, which have sizes of their own.
std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes);

}  // namespace reprise::harness::atrium_cases
