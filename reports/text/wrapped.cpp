// SPDX-License-Identifier: MIT
// Wraps lines by the characters that a terminal shows.
#include "reports/text/wrapped.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reprise::reports {
namespace {

// The line itself if it fits, so that the spaces of aligned columns are kept.
std::string wrapped_line(std::string_view line, std::size_t columns) {
  if (width(line) <= columns) return std::string(line);
  const auto indent = std::min(line.find_first_not_of(' '), line.size());
  const auto room = [columns](std::size_t margin) { return columns > margin ? columns - margin : 0; };
  return std::string(indent, ' ') +
         fmt::format("{}", fmt::join(filled(line.substr(indent), room(indent), room(indent + 4)),
                                     '\n' + std::string(indent + 4, ' ')));
}

}  // namespace

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::vector<std::string> filled(std::string_view text, std::size_t first, std::size_t others) {
  std::vector<std::string> rows{""};
  std::size_t room = first, used = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    if (used > 0 && used + 1 + width(word) > room) {
      rows.emplace_back();
      room = others;
      used = 0;
    }
    if (used > 0) rows.back() += ' ';
    rows.back() += word;
    used = width(rows.back());
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string all;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    all += wrapped_line(text.substr(0, end), columns);
    if (end < text.size()) all += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

}  // namespace reprise::reports
