// SPDX-License-Identifier: MIT
// The times of each paper's main case by the year of the board, from which a figure is drawn.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "reports/compare/comparison.hpp"
#include "reports/store/main_cases.hpp"

namespace reprise::reports {

// The fastest time that each board of a paper has in its main case, published and measured, and the known boards with
// their years and peak rates. Boards whose year is unknown are named only.
nlohmann::json years_of(const device_comparison& c, const comparison_sources& from);

}  // namespace reprise::reports
