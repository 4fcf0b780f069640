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
#include "reports/page/printed_layout.hpp"
#include "reports/page/shown_rows.hpp"

namespace reprise::reports {

// How far the measured number lies from the printed one. `same`: the printed digits, or within 5 %; then up to a factor
// of two, up to ten, and beyond, below and above.
enum class band { none, same, near_below, below, far_below, near_above, above, far_above };
std::string_view to_string(band b);

struct measured_number {
  const row* from{};                                      // null if there is none
  double value{no_value}, low{no_value}, high{no_value};  // in the cell's unit
  double ratio{no_value};                                 // to the printed number
  band distance{band::none};
  std::string text, ratio_text;  // with "7.1e-3" for powers
  std::string verdict, claim;    // of the claim that holds the cell; empty if none does
  std::string reason;            // why there is none
};

struct printed_cell {
  const row* published{};
  std::string unit, text;                // as in print, with the unit if the column does not name it
  double value{no_value};                // in that unit
  bool has_powers{};                     // 7.1e-3 instead of 0.0071
  std::vector<measured_number> numbers;  // one for each view
};

// A choice of a device and, in place of the paper's variant, of another one.
struct table_view {
  std::string device, variant;
  std::string variant_name{};
};
std::string label_of(const table_view& view);

struct printed_table {
  std::string id, title, caption, note;
  std::vector<std::string> stub;
  std::vector<std::vector<std::string>> columns;  // headings, with the unit in the last one
  std::vector<std::vector<std::string>> labels;   // of the rows
  std::vector<std::vector<std::optional<printed_cell>>> cells;
  std::vector<table_view> views;  // the first one is nearest to the paper; at least one
};

// `rows` are all rows of the runs, and the published ones; they must be the result of shown_rows for the same runs.
std::vector<printed_table> make_printed_tables(std::span<const printed_layout> layouts,
                                               const printed_rows& paper, std::span<const shown_row> rows,
                                               std::span<const run> runs, const assessment& judged,
                                               const variant_names& names = {});

// The reasons why cells have no measured number, each once, in the table's order; and the letter of a reason's note.
std::vector<std::string> reasons_of(const printed_table& table);
std::string note_letter(const std::vector<std::string>& reasons, const std::string& reason);

// The number of cells, and of those with a measured number in the first view.
struct cell_count {
  std::size_t printed{}, measured{};
};
cell_count count_cells(std::span<const printed_table> tables);

}  // namespace reprise::reports
