// SPDX-License-Identifier: MIT
// How long a thread of a GPU may wait for another block before it stops its kernel, and what it says then.
#pragma once

#include <string>

#include "solvers/common/base/host_device.hpp"

namespace reprise {

// Time of waits: 2^20 ns, about a millisecond. A device's clock of nanoseconds becomes ticks by one shift.
constexpr unsigned tick_shift = 20;
constexpr double ticks_per_second = 1e9 / (1U << tick_shift);

// REPRISE_PATIENCE in the environment, in seconds; 30 if it is not set. Throws bad_input if it is no such number.
double patience_seconds();

// Rounds seconds up to ticks; at least one, and at most half of what an int holds.
int ticks_of(double seconds);

// A kernel's last word: which thread gave up, and the number of ticks for which it may wait. Never zero.
REPRISE_HOST_DEVICE constexpr unsigned long long last_word(unsigned block, unsigned thread, int ticks) {
  return 1ULL << 63U | static_cast<unsigned long long>(block & 0x1fffffU) << 42U |
         static_cast<unsigned long long>(thread & 0x3ffU) << 32U | static_cast<unsigned>(ticks);
}

// The sentence that a last word stands for.
std::string sentence_of(unsigned long long word);

}  // namespace reprise
