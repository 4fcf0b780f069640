// SPDX-License-Identifier: MIT
// Writes a fleet as text for a terminal, as CSV, and as JSON, from which its page is made.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "reports/fleet/report.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {

// Lists what needs attention first: wrong answers, interrupted runs, slow nodes with their evidence.
std::string to_text(const fleet_report& report);

std::string nodes_csv(const fleet_report& report);    // a line for each node
std::string timings_csv(const fleet_report& report);  // a line for each compared timing
std::string medians_csv(const fleet_report& report);  // a line for each value of each node that counts

// `types` compares the types of nodes with each other.
nlohmann::json to_json(const fleet_report& report, std::span<const table> types);

}  // namespace reprise::reports
