// SPDX-License-Identifier: MIT
// Matches ids such as "jacobi/table1" with shell globs.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace reprise::reports {

// Whether the text matches a shell glob.
bool matches_glob(const std::string& pattern, std::string_view text);

// Whether the pattern matches the id or, if the pattern has no '/', the part of the id after its '/'. A pattern without '/' that
// begins with a wildcard is only about that part: "[!e]*" matches no "jacobi/exact".
bool matches(const std::string& pattern, std::string_view id);
bool matches_any(std::span<const std::string> patterns, std::string_view id);

}  // namespace reprise::reports
