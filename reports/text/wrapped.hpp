// SPDX-License-Identifier: MIT
// Wraps lines for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reprise::reports {

constexpr std::size_t terminal_width = 80;

// Breaks each line of the text at spaces, so that it fits the width. Continued lines are indented by four more
// characters than their first one. A word that is longer than a line stays whole.
std::string wrapped(std::string_view text, std::size_t columns = terminal_width);

}  // namespace reprise::reports
