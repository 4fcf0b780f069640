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

// "table", or "figure" for figures and fields.
std::string kind_of(const reports::layout& shown);

// A case on a device, whichever experiment asks for it: it is measured once.
using shared_case = std::pair<std::string, cost_key>;
shared_case shared_key(const harness::step& s);

// The price of all steps of an item. A case that several experiments ask for is paid once.
double price_of(const item& i, std::span<const offer> offers);

}  // namespace reprise::budget
