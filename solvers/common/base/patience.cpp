// SPDX-License-Identifier: MIT
// Reads the limit of waits from the environment, and puts a kernel's last word into a sentence.
#include "solvers/common/base/patience.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "solvers/common/base/error.hpp"

namespace reprise {

double patience_seconds() {
  constexpr double usual = 30;
  constexpr double most = 1e6;
  const char* const told = std::getenv("REPRISE_PATIENCE");
  if (told == nullptr) return usual;
  char* end = nullptr;
  const double seconds = std::strtod(told, &end);
  if (end == told || *end != '\0' || !(seconds > 0) || seconds > most)
    throw bad_input("REPRISE_PATIENCE: '" + std::string(told) +
                    "' is no time in seconds: give a number above 0, at most 1000000");
  return seconds;
}

int ticks_of(double seconds) {
  constexpr double most = .5 * std::numeric_limits<int>::max();
  return static_cast<int>(std::clamp(std::ceil(seconds * ticks_per_second), 1., most));
}

std::string sentence_of(unsigned long long word) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3g", static_cast<double>(word & 0xffffffffU) / ticks_per_second);
  return "block " + std::to_string(word >> 42U & 0x1fffffU) + " waited in vain for another block for " +
         seconds + " s (its thread " + std::to_string(word >> 32U & 0x3ffU) +
         " stopped the kernel); REPRISE_PATIENCE in the environment sets this limit";
}

}  // namespace reprise
