// SPDX-License-Identifier: MIT
// What a budget can be spent on: cases that are worth measuring together or not at all.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/harness/budget/costs.hpp"
#include "benchmarks/harness/steps.hpp"
#include "reports/judging/claims.hpp"

namespace reprise::budget {

// A step with its price.
struct offer {
  const harness::step* what{};
  double seconds{};
  std::string why_not{};  // why this machine or preset does not measure it; empty if it does
};

// - headline: the cases that decide a headline
// - first: the cheapest slice of a table or figure that can be read on its own
// - spread: the other slices
enum class tier { headline, first, spread };

struct item {
  tier rank{};
  std::string name;                // "headline curvature/second_order", "table jacobi/table3: 512x1024"
  std::vector<std::size_t> steps;  // indices of offers
  std::string why_not{};           // why nothing can be measured for it; empty if it can

  bool is_possible() const { return why_not.empty(); }
};

// One item for each headline among the claims whose experiments are on offer. `usual_metric` is that of selectors
// without one.
std::vector<item> headline_items(std::span<const offer> offers, std::string_view family,
                                 std::span<const reports::claim> claims, std::string_view usual_metric);

// Slices of tables and figures. A slice of a table is one size with all variants and devices. One of a figure is a set of
// curves over its whole axis, or, where the axis is the size, over its four cheapest points or all others. Both have all
// numbers of their parameters, because orders and equal-error times are fitted through them.
std::vector<item> slice_items(std::span<const offer> offers);

// A case on a device, whichever experiment asks for it: it is measured once.
using shared_case = std::pair<std::string, cost_key>;
shared_case shared_key(const harness::step& s);

// The price of all steps of an item. A case that several experiments ask for is paid once.
double price_of(const item& i, std::span<const offer> offers);

// Sorts items as a budget is spent on them: headlines, cheap ones first; a table and a figure of each paper; headlines
// that take more than a tenth of the budget; the other tables and figures, the papers in turn; the other slices, the
// experiments in turn.
void sort_by_worth(std::vector<item>& items, std::span<const offer> offers, double budget_seconds);

}  // namespace reprise::budget
