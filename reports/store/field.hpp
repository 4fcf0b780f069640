// SPDX-License-Identifier: MIT
// A field is one measured surface, map or profile: values on a grid. Each is a file in a run's folder, with two lines
// of CSV that describe it, then one line for each line of the grid. Beside it there may be an array, which has all
// digits of all nodes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/store/npy.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

// The largest numbers of nodes per side that a figure shows and that a file may contain.
constexpr int most_shown_nodes = 97;
constexpr int most_nodes = 1025;

struct field : case_id {          // as in the rows of its case
  std::string name;               // "t=0.025"
  int nx{}, ny{};                 // ny is 1 for a profile, whose y0 and y1 are the same
  double x0{}, x1{}, y0{}, y1{};  // coordinates of the first and last nodes
  std::vector<double> values{};   // nx * ny values, x fastest
  std::optional<array> exact{};   // empty: no array is written
};

// The field's own values as an array: ny lines of nx values, or one of nx for a profile.
array array_of(const field& f);

// Why the field cannot be recorded: its number of values differs from that of its nodes, it has
// fewer than two nodes per side and is no profile, it has no extent, or a value is not finite or not below 1e300.
// Empty if it can be recorded.
std::string flaw_of(const field& f);

// Keeps every k-th node, so that at most `most` per side remain, or most_nodes of a profile. Prefers a k that keeps the
// last node of a side, as long as that k is less than 1.5 times the smallest possible one; otherwise the extent shrinks
// to the last kept node.
field thinned(const field& f, int most = most_shown_nodes);

// A file name made from the properties that identify the field: safe as a path component, and unique.
std::string file_name_of(const field& f);
// The name of its array's file.
std::string array_name_of(const field& f);

// The file's text; values have five significant digits. Throws error if the field has a flaw.
std::string to_csv(const field& f);

// Parses the file's text. Throws bad_input with file and line for wrong columns, wrong counts, more than
// most_nodes per side, or a value that is not finite.
field parse_field(const std::filesystem::path& file, std::string_view text);

}  // namespace reprise::reports
