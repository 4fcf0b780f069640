// SPDX-License-Identifier: MIT
// Error against time of every method of integration, each in its fastest implementation, and the methods that no other
// one beats in both.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "reports/page/figures.hpp"

namespace reprise::reports {

// One panel for each board and precision, at the largest size that was measured there, with the RRMS of each setting of a
// method. Its note names the methods on the Pareto front. Empty if fewer than two methods have a time and an RRMS.
std::optional<figure> make_front(const std::string& word, std::span<const shown_row> rows,
                                 std::span<const run> runs);

}  // namespace reprise::reports
