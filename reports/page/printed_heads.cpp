// SPDX-License-Identifier: MIT
// Headings and notes of printed tables.
#include "reports/page/printed_heads.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reprise::reports {
namespace {

// A column's heading at a level, counted from the innermost one.
std::string heading_at(const std::vector<std::string>& levels, std::size_t depth, std::size_t level) {
  const auto missing = depth - levels.size();
  return level < missing ? std::string() : levels[level - missing];
}

}  // namespace

std::string title_of(const printed_table& t) {
  return fmt::format("{}: {}", t.title, t.caption);
}

std::vector<std::string> notes_of_first_view(printed_table t) {
  for (auto& line : t.cells)
    for (auto& cell : line)
      if (cell) cell->numbers.resize(1);
  return notes_of(t);
}

std::size_t depth_of(const printed_table& t) {
  std::size_t depth = 1;
  for (const auto& levels : t.columns) depth = std::max(depth, levels.size());
  return depth;
}

std::vector<std::pair<std::string, std::size_t>> spans(const std::vector<std::string>& texts,
                                                       bool are_joined) {
  std::vector<std::pair<std::string, std::size_t>> all;
  for (const auto& text : texts) {
    if (are_joined && !all.empty() && all.back().first == text)
      ++all.back().second;
    else
      all.emplace_back(text, 1);
  }
  return all;
}

std::vector<std::string> headings_at(const printed_table& t, std::size_t level) {
  std::vector<std::string> texts;
  for (const auto& levels : t.columns) texts.push_back(heading_at(levels, depth_of(t), level));
  return texts;
}

}  // namespace reprise::reports
