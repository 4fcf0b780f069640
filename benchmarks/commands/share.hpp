// SPDX-License-Identifier: MIT
// Shares on the command line.
#pragma once

#include <string>

namespace reprise::benchmarks {

// "1%" or ".01" as .01. Throws bad_input, which names the option, unless it lies between 0 and 100 %.
double parse_share(const std::string& option, const std::string& text);

}  // namespace reprise::benchmarks
