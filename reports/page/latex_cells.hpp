// SPDX-License-Identifier: MIT
// The parts of a printed table's cell in LaTeX, and their widths.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/page/printed_tables.hpp"

namespace reprise::reports {

// The width of an article's text in 10 pt on A4, and those of a character in \footnotesize, bold there, and in \scriptsize: all in
// points.
constexpr double width_of_page = 345, width_of_character = 4.6, width_of_bold = 4.7, width_of_small = 3.7;

std::size_t characters(std::string_view text);

// Escapes first, so that the powers' dollar signs stay.
std::string latex_number(std::string_view text);

std::string_view latex_mark(std::string_view verdict);

// The letters of the number's notes, raised; empty if it has none.
std::string latex_letters(const measured_number& m, const std::vector<std::string>& notes);

}  // namespace reprise::reports
