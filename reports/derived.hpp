// SPDX-License-Identifier: MIT
// A paper's derived cells, its speed-ups, percentages and rates, computed again from the cells that it prints
// beside them.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/quantity.hpp"
#include "reports/row.hpp"

namespace reprise::reports {

struct derived_cell {
  std::string id, place;
  std::string quantity_text;
  quantity what;  // over published rows only
  double printed{no_value};
  double rounding{};   // how far the printed number may lie from the exact one: half a unit of its last digit
  std::string reason;  // why this quantity, and this rounding where it is another
  csv::place at;
};

constexpr std::array<std::string_view, 6> derived_columns{"id",      "place",    "quantity",
                                                          "printed", "rounding", "reason"};

// Throws bad_input with file and line for anything that cannot be computed again.
std::vector<derived_cell> read_derived(const std::filesystem::path& file);

// Published rows with how far each number may lie from the one that was rounded to it: half a unit of the
// last digit that the file has.
struct printed_rows {
  std::vector<row> rows;
  std::vector<double> roundings;  // one for each row
};

printed_rows read_printed(const std::filesystem::path& file);

// Half a unit of the last digit: 0.005 of "78.74", 0.0005 of "9e-3".
double half_unit_of(std::string_view number);

struct recomputation {
  double value{no_value};  // from the cells as they are printed
  double low{no_value};    // over all numbers that round to these cells
  double high{no_value};
  bool agrees{};           // the printed cell, give or take its rounding, is among them
  std::string arithmetic;  // "39.84 / 0.506"
};

// Throws bad_input, with the cell's place in its file, where a selector finds no published row, or several.
recomputation recompute(const derived_cell& cell, std::string_view family, std::string_view metric,
                        const printed_rows& paper);

}  // namespace reprise::reports
