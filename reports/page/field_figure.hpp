// SPDX-License-Identifier: MIT
// A figure that shows fields: one line of panels for each device and variant.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/page/shown_rows.hpp"
#include "reports/store/field.hpp"
#include "reports/store/layout.hpp"

namespace reprise::reports {

// More lines would make the page heavy and show little new.
constexpr std::size_t most_lines_of_panels = 2;

struct field_line {
  std::string label, device, variant;
  std::size_t run_rank{};                    // the run that recorded the fields
  std::vector<std::optional<field>> panels;  // one for each name, thinned; empty if not recorded
};

struct field_figure {
  std::string id, title, note, quantity;
  bool has_surfaces{};
  std::vector<std::string> names{};
  std::vector<field_line> lines{};      // at most most_lines_of_panels
  std::vector<std::string> left_out{};  // labels of the remaining lines
  std::string reason{};                 // why there are no lines
};

// One CSV line for each panel, with the path of its field's file. `folders` are the runs'
// folders below the report's rows/.
std::string to_csv(const field_figure& f, const std::vector<std::string>& folders);

// Shows fields of cases with right answers, ordered by run and by the run's order of devices. `rows` must be
// the result of shown_rows for the same runs.
field_figure make_field_figure(const layout& shape, std::span<const shown_row> rows,
                               std::span<const run> runs);

// The final state of the first right case that recorded one with --fields and is no figure of fields itself; nothing if
// there is none.
std::optional<field_figure> make_final_state(const family_layout& family, std::span<const shown_row> rows,
                                             std::span<const run> runs);

}  // namespace reprise::reports
