// SPDX-License-Identifier: MIT
// Breaks headings, and puts each number on the line of its kind.
#include "reports/page/printed_stacked.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string_view>

#include "reports/page/latex_cells.hpp"
#include "reports/page/printed_heads.hpp"
#include "reports/text/latex.hpp"
#include "reports/text/wrapped.hpp"

namespace reprise::reports {
namespace {

constexpr double gap = 4;

double small_width(std::string_view text) {
  return latex_length(text) * width_of_small;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

double longest_word(const std::string& text) {
  double longest = 0;
  for (const auto& word : words_of(text)) longest = std::max(longest, small_width(word));
  return longest;
}

// A power is written in full: "7.1e-3" as 7.1·10⁻³.
double shown_characters(std::string_view text) {
  return static_cast<double>(width(text) + (text.find('e') == std::string_view::npos ? 0 : 2));
}

double width_of_number(const measured_number& m) {
  if (m.from == nullptr) return 2 * width_of_bold;
  const auto letters = static_cast<double>(m.notes.empty() ? 0 : 2 * m.notes.size() - 1);
  const double number = (shown_characters(m.text) + (m.verdict.empty() ? 0 : 2)) * width_of_bold;
  return std::max({number + letters * width_of_small, small_width(m.ratio_text), small_width(m.beside_text)});
}

double width_of_cells(const printed_table& t, std::size_t column) {
  double width = 0;
  for (const auto& line : t.cells)
    if (const auto& c = line[column])
      width = std::max(
          {width, shown_characters(c->text) * width_of_character, width_of_number(c->numbers.front())});
  return width;
}

struct heading {
  std::size_t first{}, last{};  // of its columns
  std::vector<std::string> lines;
};

// The headings of one level, broken to the widths of their columns.
std::vector<heading> headings_of(const printed_table& t, std::size_t level, std::size_t first,
                                 std::size_t last) {
  const auto all = headings_at(t, level);
  const bool are_joined = level + 1 < depth_of(t);
  std::vector<heading> found;
  auto column = first;
  const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
  for (const auto& [text, span] : spans(std::vector<std::string>(at(first), at(last)), are_joined)) {
    double width = -gap;
    for (auto i = column; i < column + span; ++i) width += stacked_width(t, i);
    found.push_back({column, column + span, latex_lines(words_of(text), width, width_of_small)});
    column += span;
  }
  return found;
}

std::string in_small(const std::string& text) {
  return text.empty() ? text : fmt::format("{{\\scriptsize {}}}", latex_number(text));
}

std::string in_bold(const measured_number& m, const std::vector<std::string>& notes) {
  return latex_measured(m, fmt::format("\\textbf{{{}}}", latex_number(m.text)), notes);
}

}  // namespace

printed_table with_wide_parts_as_notes(printed_table t) {
  for (auto& line : t.cells)
    for (auto& c : line) {
      if (!c) continue;
      auto& m = c->numbers.front();
      if (!m.runs_text.empty()) m.notes.push_back(fmt::format("by run {}", m.runs_text));
      m.runs_text.clear();
    }
  return t;
}

double stacked_width(const printed_table& t, std::size_t column) {
  double heading = 0;
  for (std::size_t level = 0; level < depth_of(t); ++level) {
    const auto all = headings_at(t, level);
    const auto is_same = [&](std::size_t other) { return other < all.size() && all[other] == all[column]; };
    const bool is_joined =
        level + 1 < depth_of(t) && (is_same(column + 1) || (column > 0 && is_same(column - 1)));
    if (!is_joined) heading = std::max(heading, longest_word(all[column]));
  }
  return std::max(width_of_cells(t, column), heading) + gap;
}

double stacked_width_of_label(const printed_table& t, std::size_t label) {
  double width = longest_word(t.stub[label]);
  for (const auto& labels : t.labels)
    width = std::max(width, static_cast<double>(reports::width(labels[label])) * width_of_character);
  return width + gap;
}

std::string stacked_head(const printed_table& t, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t level = 0; level < depth_of(t); ++level) {
    const bool is_last = level + 1 == depth_of(t);
    std::string rules;
    for (std::size_t i = 0; i < t.stub.size(); ++i)
      text += (is_last ? in_small(t.stub[i]) : std::string()) + " & ";
    for (const auto& one : headings_of(t, level, first, last)) {
      auto lines = one.lines;
      for (auto& line : lines) line = for_latex(line);
      text += fmt::format("{}\\multicolumn{{{}}}{{c}}{{\\scriptsize\\shortstack{{\\strut {}}}}}",
                          one.first == first ? "" : " & ", one.last - one.first, fmt::join(lines, "\\\\"));
      const auto column = t.stub.size() + 1 + one.first - first;
      if (!is_last && !one.lines.empty())
        rules += fmt::format("\\cmidrule(lr){{{}-{}}}", column, column + one.last - one.first - 1);
    }
    text += " \\\\\n" + (rules.empty() ? "" : rules + "\n");
  }
  return text;
}

std::size_t stacked_height_of_head(const printed_table& t, std::size_t first, std::size_t last) {
  std::size_t height = 0;
  for (std::size_t level = 0; level < depth_of(t); ++level) {
    std::size_t most = 1;
    for (const auto& one : headings_of(t, level, first, last)) most = std::max(most, one.lines.size());
    height += most;
  }
  return height;
}

std::vector<std::string> stacked_lines(const printed_table& t, std::size_t row, std::size_t first,
                                       std::size_t last, const std::vector<std::string>& notes) {
  std::array<std::vector<std::string>, 4> lines;  // print, measured, ratio, and what it was computed from
  for (auto i = first; i < last; ++i) {
    const auto& c = t.cells[row][i];
    const auto* const m = c ? &c->numbers.front() : nullptr;
    lines[0].push_back(c ? latex_number(c->text) : "--");
    lines[1].push_back(m != nullptr ? in_bold(*m, notes) : "");
    lines[2].push_back(m != nullptr ? in_small(m->ratio_text) : "");
    lines[3].push_back(m != nullptr ? in_small(m->beside_text) : "");
  }
  std::vector<std::string> texts;
  for (const auto& line : lines)
    if (std::ranges::any_of(line, [](const auto& field) { return !field.empty(); }))
      texts.push_back(fmt::format("{}", fmt::join(line, " & ")));
  return texts;
}

}  // namespace reprise::reports
