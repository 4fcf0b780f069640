// SPDX-License-Identifier: MIT
// Suggestions for mistyped names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reprise::harness {

// " (did you mean 'NAME'?)" for the known name that needs the fewest edits of characters, or "" if more than a third of
// `typed` would have to change. A name typed without its paper gets one without.
std::string nearest(std::string_view typed, const std::vector<std::string>& known);

}  // namespace reprise::harness
