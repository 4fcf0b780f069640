// SPDX-License-Identifier: MIT
// report.json: all data that the page shows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "reports/judging/assessment.hpp"
#include "reports/page/devices.hpp"
#include "reports/page/limits.hpp"
#include "reports/page/paper.hpp"
#include "reports/page/reserves.hpp"
#include "reports/store/run.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {

// "claims" with their verdicts, and the recomputed "derived" cells.
nlohmann::json to_json(const assessment& all, const case_links& links = {},
                       const reserves& known = reserves());

// Each paper's work with its lines.
nlohmann::json to_json(std::span<const paper_limits> all, const case_links& links);

// `folders` are the names of the runs' folders below OUT/rows, one for each run.
nlohmann::json to_json(std::span<const run> runs, const std::vector<std::string>& folders,
                       std::span<const paper> papers, std::span<const device_summary> devices,
                       const case_links& links);

}  // namespace reprise::reports
