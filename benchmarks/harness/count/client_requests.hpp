// SPDX-License-Identifier: MIT
// Tells Callgrind, if it runs this program, which part to count.
#pragma once

#include <string_view>

namespace reprise::counting {

// Why this program cannot tell Callgrind anything; empty if it can.
std::string_view why_no_requests();

bool is_under_valgrind();

// Callgrind counts from here on, with empty caches. Both do nothing outside Valgrind.
void begin_counting();
// Writes what was counted to a file of its own, and stops.
void end_counting();

}  // namespace reprise::counting
