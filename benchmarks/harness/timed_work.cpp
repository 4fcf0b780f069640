// SPDX-License-Identifier: MIT
// Draws the windows of a timed run.
#include "benchmarks/harness/timed_work.hpp"

#include <algorithm>
#include <random>

namespace reprise::harness {
namespace {

std::mt19937_64 generator_of(std::string_view seed) {
  std::seed_seq sequence(seed.begin(), seed.end());
  return std::mt19937_64(sequence);
}

}  // namespace

std::vector<window> windows_of(long count, long longest, std::string_view seed) {
  if (count <= longest) return {{0, count}};
  std::mt19937_64 random = generator_of(seed);
  const long last = count - longest;
  std::vector<window> windows;
  for (const auto& [from, to] :
       {std::pair{0L, count / 3}, {count / 3, count - count / 10}, {count - count / 10, count}}) {
    const long first = windows.empty() ? from : std::max(from, windows.back().end());
    if (std::min(to, last) <= first) continue;
    windows.push_back({std::uniform_int_distribution(first, std::min(to, last) - 1)(random), longest});
  }
  windows.push_back({last, longest});
  return windows;
}

}  // namespace reprise::harness
