// SPDX-License-Identifier: MIT
// A comparison of devices as tables.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "reports/compare/tables.hpp"
#include "reports/judging/claims.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {

// The claims about shapes (who wins, slopes, crossovers), judged separately for each device.
struct compared_claim {
  std::string family, id, text;
  std::vector<verdict> outcomes;  // one per column; not_run_here if it rests on no row of the device
};

std::vector<compared_claim> compare_claims(std::span<const compared> all,
                                           std::span<const device_column> columns,
                                           const comparison_sources& from);

// Each device has a column for its numbers and, if there are any, one for shares of roofs and one for work per joule.
// A further column for each pair of counterparts with times says how many times as fast one of them is.
table to_table(const compared_table& t, std::span<const device_column> columns);
table to_table(std::span<const compared_claim> claims, std::span<const device_column> columns);

// A comparison of devices: roofs, the tables and figures whose id matches the shell glob, and claims about shapes.
struct device_comparison {
  std::vector<device_column> columns;
  compared_table roofs;
  std::vector<compared_table> tables;
  std::vector<compared_table> times;  // of the papers with a main case, whose words are the ids
  std::vector<compared_claim> claims;
};

device_comparison compare_devices(std::span<const compared> all, const comparison_sources& from,
                                  const std::string& glob, bool any_precision);

// All of it as tables, whose ids are names for files.
std::vector<table> to_tables(const device_comparison& c);

// Writes each as Markdown and CSV. Throws bad_input if the folder cannot be created.
void write_tables(const std::filesystem::path& folder, std::span<const table> tables);

}  // namespace reprise::reports
