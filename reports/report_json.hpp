// SPDX-License-Identifier: MIT
// report.json: everything that the page shows.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "reports/case_pages.hpp"
#include "reports/ledger.hpp"
#include "reports/paper.hpp"
#include "reports/run_folder.hpp"

namespace reprise::reports {

// "claims" with their verdicts, and "derived" cells computed again.
nlohmann::json to_json(const ledger& of, const case_links& links = {});

// `folders` are the runs' folders below OUT/rows, one for each run.
nlohmann::json to_json(std::span<const run> runs, const std::vector<std::string>& folders,
                       std::span<const paper> papers, const case_links& links);

}  // namespace reprise::reports
