// SPDX-License-Identifier: MIT
// The order in which a budget is spent.
#pragma once

#include <span>
#include <vector>

#include "benchmarks/harness/budget/items.hpp"

namespace reprise::budget {

// Sorts items as a budget is spent on them: headlines, cheap ones first; a table and a figure of each paper; headlines
// that take more than a tenth of the budget; the other tables and figures, the papers in turn; the other slices, the
// experiments in turn.
void sort_by_worth(std::vector<item>& items, std::span<const offer> offers, double budget_seconds);

}  // namespace reprise::budget
