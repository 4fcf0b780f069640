// SPDX-License-Identifier: MIT
// Parts of tables and figures that can be read on their own.
#pragma once

#include <span>
#include <vector>

#include "benchmarks/harness/budget/items.hpp"

namespace reprise::budget {

// Slices of tables and figures. A slice of a table is one size with all variants and devices. One of a figure is a set of
// curves over its whole axis, or, where the axis is the size, over its four cheapest points or all others. Both have all
// numbers of their parameters, because orders and equal-error times are fitted through them.
std::vector<item> slice_items(std::span<const offer> offers);

}  // namespace reprise::budget
