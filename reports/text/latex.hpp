// SPDX-License-Identifier: MIT
// Text for LaTeX: whatever a name holds, a document that inputs a table compiles, with no package.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reprise::reports {

// The width of the text of an article in 10 pt on A4, in points.
constexpr double latex_width_of_page = 345;

// The text as one line of LaTeX. Letters with accents stay, symbols of numbers and units become commands, and any other
// character that LaTeX needs a package for becomes a question mark.
std::string for_latex(std::string_view text);

// The same, which may be broken behind the signs that join the parts of a name or a parameter.
std::string for_latex_with_breaks(std::string_view text);

// The length of a text in characters of usual width: capitals count more.
double latex_length(std::string_view text);

// The same of the longest piece that for_latex_with_breaks leaves in one line.
double length_of_longest_piece(std::string_view text);

// The words in lines no wider than this, where a character of usual width has one of its own. A wider word stays whole.
std::vector<std::string> latex_lines(const std::vector<std::string>& words, double width,
                                     double width_of_character);

// What a table begins with: lines where the document does not load booktabs.
std::string_view latex_rules();

}  // namespace reprise::reports
