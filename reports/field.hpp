// SPDX-License-Identifier: MIT
// A field is one measured surface or map, values on a grid. Each is a file of its own below a run's folder:
// two lines of CSV that say what it is, then one line for each line of the grid.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reports/row.hpp"

namespace reprise::reports {

// What a figure can show, and what a file may hold.
constexpr int most_shown_nodes = 97;
constexpr int most_nodes = 1025;

struct field {
  std::string experiment, variant, device, precision, size, parameter;  // as in the rows of its case
  std::string name;                                                     // "t=0.025"
  int nx{}, ny{};
  double x0{}, x1{}, y0{}, y1{};  // where the first and the last nodes lie
  std::vector<double> values{};   // nx * ny of them, x fastest
};

// Why the field cannot be recorded: it has another number of values than nodes, fewer than two nodes a side,
// no extent, or a value that is no finite number below 1e300. Empty where nothing is wrong with it.
std::string flaw_of(const field& f);

// At most so many nodes a side: every k-th one. The last node of a side stays where a k allows it that is
// less than half as large again as the smallest possible one; otherwise the extent shrinks to the last node
// kept.
field thinned(const field& f, int most = most_shown_nodes);

// Whether the field was recorded in the case that the row is about.
bool is_of_case(const field& f, const row& r);

// The file's name, made of what identifies the field: safe, and another one for another field.
std::string file_name_of(const field& f);

// The file's text; values have five significant digits. Throws error for a field that has a flaw.
std::string to_csv(const field& f);

// Reads it back. Throws bad_input with file and line: wrong columns, wrong counts, more than most_nodes a
// side, a value that is no finite number.
field parse_field(const std::filesystem::path& file, std::string_view text);

}  // namespace reprise::reports
