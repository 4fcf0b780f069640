// SPDX-License-Identifier: MIT
// A printed table in LaTeX with the measured numbers below the printed ones, for tables that are too wide for a page where
// they stand side by side: each row has a line of print, one of measured numbers, and one of ratios.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "reports/page/printed_tables.hpp"

namespace reprise::reports {

// The table with what takes much room moved into notes.
printed_table with_wide_parts_as_notes(printed_table t);

double stacked_width(const printed_table& t, std::size_t column);
double stacked_width_of_label(const printed_table& t, std::size_t label);

// The headings of the columns [first, last), broken where they are wider than their columns.
std::string stacked_head(const printed_table& t, std::size_t first, std::size_t last);
std::size_t stacked_height_of_head(const printed_table& t, std::size_t first, std::size_t last);

// The lines of a row behind its labels, the last one without its end.
std::vector<std::string> stacked_lines(const printed_table& t, std::size_t row, std::size_t first,
                                       std::size_t last, const std::vector<std::string>& notes);

}  // namespace reprise::reports
