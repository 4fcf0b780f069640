// SPDX-License-Identifier: MIT
// Writes the paper's tables with today's numbers as Markdown, CSV, LaTeX and JSON, in the paper's shape. Files show the
// first view; the page lets a reader choose one.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/page/printed_tables.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {

std::string to_markdown(const printed_table& t);
std::string to_csv(const printed_table& t);

nlohmann::json to_json(const printed_table& t, const case_links& links);

}  // namespace reprise::reports
