// SPDX-License-Identifier: MIT
// The parts of a printed table's cell in LaTeX, and their widths.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/page/printed_tables.hpp"

namespace reprise::reports {

// Of a character in \footnotesize, bold there, and in \scriptsize, in points.
constexpr double width_of_character = 4.6, width_of_bold = 4.7, width_of_small = 3.7;

// Escapes first, so that the powers' dollar signs stay.
std::string latex_number(std::string_view text);

std::string_view latex_mark(std::string_view verdict);

// A measured number as it is `set`, with the mark of its verdict and the letters of its notes. Where nothing was measured, a dash
// with the letter of the reason.
std::string latex_measured(const measured_number& m, const std::string& set,
                           const std::vector<std::string>& notes);

}  // namespace reprise::reports
