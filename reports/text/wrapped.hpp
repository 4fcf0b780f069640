// SPDX-License-Identifier: MIT
// Wraps lines for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::reports {

constexpr std::size_t terminal_width = 80;

// The characters of a text in UTF-8.
std::size_t width(std::string_view text);

// The text's words in lines: the first and the others are as wide as given. A word that is wider than a line stays whole.
std::vector<std::string> filled(std::string_view text, std::size_t first, std::size_t others);

// Breaks each line of the text at spaces, so that it fits the width. Continued lines are indented by four more
// characters than their first one. A word that is longer than a line stays whole.
std::string wrapped(std::string_view text, std::size_t columns = terminal_width);

}  // namespace reprise::reports
