// SPDX-License-Identifier: MIT
// Compares devices side by side, with one column for each device.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "reports/compare/sources.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

// A board or processor, with the ids through which it is accessible: "cuda:0" and "opencl:1".
struct device_column {
  std::string label;
  std::size_t owner{};  // index in the list of compared items
  std::vector<std::string> ids;
  std::string board;  // its name, which two columns may share

  bool has(const std::string& id) const { return std::ranges::find(ids, id) != ids.end(); }
};

// Devices with numbers, in the order of the compared items.
std::vector<device_column> columns_of(std::span<const compared> all);

struct compared_cell {
  double value{no_value};
  double share{no_value};  // per cent of the roof that binds, measured in the same run
  std::string roof;        // "shared memory"
  double per_joule{no_value};
};

// The number that a line shows. Its experiment and device are empty, since table and columns name them.
struct compared_line : number_id {
  std::string unit;
  std::vector<compared_cell> cells;  // one for each column
};

// A table or a figure of the paper.
struct compared_table {
  std::string id, title;
  std::vector<compared_line> lines;
};

// The items of the comparison that have a number in the table, or in the line.
std::set<std::size_t> owners_of(const compared_table& t, std::span<const device_column> columns);
std::set<std::size_t> owners_of(const compared_line& l, std::span<const device_column> columns);

// Over all cases that both devices have: the same variant, precision, size and parameter.
struct relative_speed {
  std::size_t faster{}, slower{};   // columns
  double times{}, least{}, most{};  // geometric mean, and the extremes
  std::size_t cases{};
};

// How the times of two columns compare; nothing if no line has both.
std::optional<relative_speed> speed_of(const compared_table& t, std::size_t a, std::size_t b);

// The devices of one item set against those of the others: of the first item that has a time in common with another
// one. A board is paired with the board of the same name in the other item if there is one, otherwise with all. Empty
// only if no two items have a time of the same line.
std::vector<relative_speed> speeds_of(const compared_table& t, std::span<const device_column> columns);

// All tables and figures that have numbers. If `any_precision` is set, lines do not distinguish precisions.
std::vector<compared_table> compare_tables(std::span<const compared> all,
                                           std::span<const device_column> columns,
                                           std::span<const family_layout> families, bool any_precision);

// The times of whole pieces of work of a paper, in experiments that match the glob, shown by a table or not. Each case has
// one line, although several experiments may have it.
compared_table compare_times(std::span<const compared> all, std::span<const device_column> columns,
                             const main_case& paper, std::span<const family_layout> families,
                             const std::string& glob, bool any_precision);

// The roofs of each device, one line for each kind of roof and precision.
compared_table compare_roofs(std::span<const compared> all, std::span<const device_column> columns);

}  // namespace reprise::reports
