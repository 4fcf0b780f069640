// SPDX-License-Identifier: MIT
// Recomputes a paper's derived cells (speed-ups, percentages, rates) from the other cells that it prints.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/judging/quantity.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

struct derived_cell {
  std::string id, place;
  quantity expression;  // over published rows only
  double printed{no_value};
  double rounding{};   // largest rounding error of `printed`; by default half a unit of its last digit
  std::string reason;  // why this quantity, and why this rounding if it is not the default
  csv::place at;
};

constexpr std::array<std::string_view, 6> derived_columns{"id",      "place",    "quantity",
                                                          "printed", "rounding", "reason"};

// Throws bad_input with file and line for a cell that cannot be recomputed.
std::vector<derived_cell> read_derived(const std::filesystem::path& file);

// Published rows, and the largest rounding error of each number: half a unit of the last digit in the file, or none
// where both quartiles are the value, as for a count.
struct printed_rows {
  std::vector<row> rows;
  std::vector<double> roundings;  // one for each row
};

printed_rows read_printed(const std::filesystem::path& file);

// Half a unit of the last digit: 0.005 of "78.74", 0.0005 of "9e-3".
double half_unit_of(std::string_view number);

struct recomputation {
  double value{no_value};  // from the printed cells
  double low{no_value};    // bounds over all numbers that round to these cells
  double high{no_value};
  bool agrees{};           // whether the printed cell, within its rounding, lies between the bounds
  std::string arithmetic;  // "39.84 / 0.506"
};

// Throws bad_input, with the cell's place in its file, if a selector matches no published row or several.
recomputation recompute(const derived_cell& cell, std::string_view family, std::string_view metric,
                        const printed_rows& paper);

}  // namespace reprise::reports
