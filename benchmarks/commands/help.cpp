// SPDX-License-Identifier: MIT
// Wraps the text of --help.
#include "benchmarks/commands/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "reports/text/wrapped.hpp"

namespace reprise::benchmarks {
namespace {

constexpr std::size_t widest_option = 40;  // a longer one begins a line of text, not a column
constexpr std::size_t least_column = 20;   // a line that begins further right is all description

// Where the lines after the first one begin: below the description, or else four characters further in.
std::size_t hanging_indent(std::string_view line) {
  const auto begin = std::min(line.find_first_not_of(' '), line.size());
  const auto gap = line.find("  ", begin);
  const auto description = gap == std::string_view::npos ? gap : line.find_first_not_of(' ', gap);
  if (description < widest_option) return description;
  return begin >= least_column ? begin : std::max<std::size_t>(begin, 2) + 2;
}

std::string wrapped_line(std::string_view line) {
  constexpr auto columns = reports::terminal_width;
  if (line.size() <= columns) return std::string(line);
  const auto begin = std::min(line.find_first_not_of(' '), columns);
  const auto margin = hanging_indent(line);
  const auto rows = reports::filled(line.substr(begin), columns - begin, columns - margin);
  return std::string(begin, ' ') + fmt::format("{}", fmt::join(rows, "\n" + std::string(margin, ' ')));
}

}  // namespace

std::string wrapped_help(std::string_view help) {
  std::string text;
  while (!help.empty()) {
    const auto end = std::min(help.find('\n'), help.size());
    text += wrapped_line(help.substr(0, end)) + '\n';
    help.remove_prefix(std::min(end + 1, help.size()));
  }
  return text;
}

}  // namespace reprise::benchmarks
