// SPDX-License-Identifier: MIT
// Wraps lines by the characters that a terminal shows.
#include "reports/text/wrapped.hpp"

#include <algorithm>

#include "reports/text/table.hpp"

namespace reprise::reports {
namespace {

// The line itself if it fits, so that the spaces of aligned columns are kept.
std::string wrapped_line(std::string_view line, std::size_t columns) {
  if (width(line) <= columns) return std::string(line);
  const auto indent = std::min(line.find_first_not_of(' '), line.size());
  std::string text(line.substr(0, indent));
  std::size_t used = indent;
  bool is_first = true;
  for (auto rest = line.substr(indent); !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, end);
    if (!is_first && used + 1 + width(word) > columns) {
      text += '\n' + std::string(indent + 4, ' ');
      used = indent + 4;
    } else if (!is_first) {
      text += ' ';
      ++used;
    }
    text += word;
    used += width(word);
    is_first = false;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

}  // namespace

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
