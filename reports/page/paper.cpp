// SPDX-License-Identifier: MIT
// Extracts a family's section from the page of assumptions.
#include "reports/page/paper.hpp"

#include <algorithm>
#include <cctype>
#include <type_traits>

namespace reprise::reports {

// Rows point into their own paper, which stays valid only if moving a paper moves its vectors.
static_assert(std::is_nothrow_move_constructible_v<paper>);

namespace {

// The number of leading '#' of a heading; 0 for any other line.
std::size_t heading_level(std::string_view line) {
  const auto level = std::min(line.find_first_not_of('#'), line.size());
  return level > 0 && level < line.size() && line[level] == ' ' ? level : 0;
}

bool begins_with_word(std::string_view text, std::string_view word) {
  const auto first = text.find_first_not_of("# `");
  if (first == std::string_view::npos) return false;
  text.remove_prefix(first);
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (text.size() < word.size() ||
      !std::equal(word.begin(), word.end(), text.begin(), [&](char w, char t) { return same(t, w); })) {
    return false;
  }
  return text.size() == word.size() || std::isalnum(static_cast<unsigned char>(text[word.size()])) == 0;
}

}  // namespace

std::string section_of(std::string_view markdown, std::string_view word) {
  std::string section;
  std::size_t level = 0;  // of the section's heading, 0 outside of it
  bool in_code = false;
  while (!markdown.empty()) {
    const auto end = std::min(markdown.find('\n'), markdown.size() - 1) + 1;
    const auto line = markdown.substr(0, end);
    markdown.remove_prefix(end);
    const auto text = line.substr(0, line.find_last_not_of("\r\n") + 1);
    if (text.starts_with("```")) in_code = !in_code;
    const auto heading = in_code ? 0 : heading_level(text);
    if (heading > 0 && level > 0 && heading <= level) break;
    if (level > 0) section += line;
    if (heading > 0 && level == 0 && begins_with_word(text, word)) level = heading;
  }
  return section;
}

}  // namespace reprise::reports
