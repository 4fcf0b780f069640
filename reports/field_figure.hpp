// SPDX-License-Identifier: MIT
// A figure that shows fields: a line of panels for each (device, variant).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/field.hpp"
#include "reports/layout.hpp"
#include "reports/run_folder.hpp"
#include "reports/tables.hpp"

namespace reprise::reports {

// More would make the page heavy and show little that is new.
constexpr std::size_t most_lines_of_panels = 2;

struct field_line {
  std::string label, device, variant;
  std::size_t run_rank{};                    // of the run that recorded the fields
  std::vector<std::optional<field>> panels;  // one for each name, thinned; none where it was not recorded
};

struct field_figure {
  std::string id, title, note, quantity;
  bool has_surfaces{};
  std::vector<std::string> names{};
  std::vector<field_line> lines{};      // most_lines_of_panels at most
  std::vector<std::string> left_out{};  // the labels of the lines beyond those
  std::string reason{};                 // why there are no lines
};

// A line for each panel drawn, with the field's file. `folders` are the runs' folders below the report's
// rows/.
std::string to_csv(const field_figure& f, const std::vector<std::string>& folders);

// Fields of cases with a right answer, by run and by the run's order of devices. `rows` are those that
// shown_rows made of the same runs.
field_figure make_field_figure(const layout& shape, std::span<const shown_row> rows,
                               std::span<const run> runs);

}  // namespace reprise::reports
