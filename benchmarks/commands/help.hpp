// SPDX-License-Identifier: MIT
// The text of --help on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace reprise::benchmarks {

// Breaks lines between words. Descriptions of options go on below their beginning.
std::string wrapped_help(std::string_view help);

}  // namespace reprise::benchmarks
