// SPDX-License-Identifier: MIT
// A comparison as text for a terminal, as Markdown and as CSV.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "reports/comparison.hpp"

namespace reprise::reports {

struct grid {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> lines;
};

// A device has a column for its numbers and, where there are any, one for shares of roofs and one for what a
// joule buys.
grid to_grid(const compared_table& t, std::span<const device_column> columns);
grid to_grid(std::span<const compared_claim> claims, std::span<const device_column> columns);

struct named_grid {
  std::string name;  // of a file
  grid content;
};

// Everything that compares devices: roofs, the tables and figures whose id matches the shell glob, and the
// conclusions about shapes.
std::vector<named_grid> comparison_grids(std::span<const compared> all, const comparison_sources& from,
                                         const std::string& glob, bool any_precision);

// Each as Markdown and CSV. Throws bad_input where the folder cannot be made.
void write_grids(const std::filesystem::path& folder, std::span<const named_grid> grids);

std::string to_text(const grid& g);
std::string to_markdown(const grid& g);
std::string to_csv(const grid& g);

}  // namespace reprise::reports
