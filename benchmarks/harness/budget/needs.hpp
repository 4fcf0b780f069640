// SPDX-License-Identifier: MIT
// The cases that decide headlines.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "benchmarks/harness/budget/items.hpp"
#include "reports/judging/claims.hpp"

namespace reprise::budget {

// One item for each headline among the claims whose experiments are on offer. `usual_metric` is that of selectors
// without one.
std::vector<item> headline_items(std::span<const offer> offers, std::string_view family,
                                 std::span<const reports::claim> claims, std::string_view usual_metric);

}  // namespace reprise::budget
