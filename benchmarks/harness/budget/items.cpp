// SPDX-License-Identifier: MIT
// Adds up the prices of items.
#include "benchmarks/harness/budget/items.hpp"

#include <set>

namespace reprise::budget {

std::string kind_of(const reports::layout& shown) {
  return shown.shape == reports::layout::kind::table ? "table" : "figure";
}

shared_case shared_key(const harness::step& s) {
  // Fields are recorded with their experiment, so no other experiment's case replaces it.
  return {s.on.device.id + (s.plan.has_fields ? s.of->layout.id : ""), key_of(s)};
}

double price_of(const item& i, std::span<const offer> offers) {
  std::set<shared_case> paid;
  double seconds = 0;
  for (const std::size_t step : i.steps)
    if (paid.insert(shared_key(*offers[step].what)).second) seconds += offers[step].seconds;
  return seconds;
}

}  // namespace reprise::budget
