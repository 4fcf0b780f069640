// SPDX-License-Identifier: MIT
// A comparison as text for a terminal, as Markdown and as CSV.
#pragma once

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

std::string to_text(const grid& g);
std::string to_markdown(const grid& g);
std::string to_csv(const grid& g);

}  // namespace reprise::reports
