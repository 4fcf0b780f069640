// SPDX-License-Identifier: MIT
// The four profiles of a state, for readers.
#pragma once

#include <span>
#include <vector>

#include "reports/store/field.hpp"

namespace reprise::harness::angiogenesis_cases {

// C, P, I and F over x from 0 to 1, from the values of all nodes, one profile after the other.
std::vector<reports::field> profiles(std::span<const double> values);

}  // namespace reprise::harness::angiogenesis_cases
