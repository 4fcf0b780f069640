// SPDX-License-Identifier: MIT
// Finds the nearest name by the distance of Levenshtein, in which two exchanged neighbours count once.
#include "benchmarks/harness/nearest.hpp"

#include <algorithm>
#include <limits>

namespace reprise::harness {
namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t substituted = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({substituted, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

}  // namespace

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
  const bool has_paper = typed.find('/') != std::string_view::npos;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  std::string found;
  for (const std::string& name : known) {
    const std::string_view compared = has_paper ? name : std::string_view(name).substr(name.find('/') + 1);
    const std::size_t needed = edits(typed, compared);
    if (needed >= fewest) continue;
    fewest = needed;
    found = compared;
  }
  return fewest * 3 <= typed.size() ? " (did you mean '" + found + "'?)" : "";
}

}  // namespace reprise::harness
