// SPDX-License-Identifier: MIT
// The paper's tables with today's numbers: each printed cell, and beside it the measured number or why there is none.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/judging/assessment.hpp"
#include "reports/page/measured_cell.hpp"
#include "reports/page/printed_layout.hpp"
#include "reports/page/shown_rows.hpp"

namespace reprise::reports {

struct printed_cell {
  const row* published{};
  std::string unit, text;                // as in print, with the unit if the column does not name it
  double value{no_value};                // in that unit
  double half_unit{};                    // of the last printed digit
  bool has_powers{};                     // 7.1e-3 instead of 0.0071
  bool is_excess{};                      // of a quotient over one
  std::string fraction;                  // "launch for {} steps" instead of a number below one
  std::vector<measured_number> numbers;  // one for each view
};

std::string label_of(const table_view& view);

struct printed_table {
  std::string id, title, caption, note;
  std::vector<std::string> stub;
  std::vector<std::vector<std::string>> columns;  // headings, with the unit in the last one
  std::vector<std::vector<std::string>> labels;   // of the rows
  std::vector<std::vector<std::optional<printed_cell>>> cells;
  std::vector<table_view> views;     // the first one is nearest to the paper; at least one
  std::vector<std::string> sources;  // for each view the runs of its numbers: "jacobi (not sealed), atrium"
};

// `rows` are all rows of the runs, and the published ones; they must be the result of shown_rows for the same runs.
std::vector<printed_table> make_printed_tables(std::span<const printed_layout> layouts,
                                               const printed_rows& paper, std::span<const shown_row> rows,
                                               std::span<const run> runs, const assessment& judged,
                                               const variant_names& names = {});

// The cells of a view whose numbers are of another device than the view's: "1 core CPU with Xeon; some cells with ...". Empty if
// there are none.
std::string on_other_devices(const printed_table& table, std::size_t view);

// The view's label and what other devices measured.
std::string measured_with(const printed_table& table, std::size_t view);

// Why cells have no measured number, and what must be known of those that have one: each once, in the order in which a reader
// of the first view meets them, and then of the other views. And the letter of such a note.
std::vector<std::string> notes_of(const printed_table& table);
std::string note_letter(const std::vector<std::string>& notes, const std::string& note);

// The number of cells, and of those with a measured number in the first view.
struct cell_count {
  std::size_t printed{}, measured{};
};
cell_count count_cells(std::span<const printed_table> tables);

}  // namespace reprise::reports
