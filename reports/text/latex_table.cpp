// SPDX-License-Identifier: MIT
// Writes long tables as floats that fit a page: long texts are broken, columns that find no room follow in further blocks with the
// texts again, and so do lines.
#include "reports/text/latex_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "reports/store/files.hpp"
#include "reports/text/latex.hpp"

namespace reprise::reports {
namespace {

// A character and a gap between columns in \scriptsize, in points.
constexpr double width_of_character = 4.0, width_of_gap = 5;
// Texts share at least this part of the width, and what numbers leave; none of them is broken to less than the least, nor to less
// than a piece of it that cannot be broken.
constexpr double width_of_texts = 200, least_width_of_text = 46;
constexpr std::size_t lines_of_page = 56;

struct range {
  std::size_t first{}, last{};
};

double width_of(std::string_view text) {
  return latex_length(text) * width_of_character;
}

// The words of a heading: names of metrics and parameters are broken at underscores and other signs.
std::vector<std::string> words_of(std::string_view heading) {
  std::vector<std::string> words(1);
  for (const char c : heading) {
    const bool is_break = c == '_' || c == ' ';
    if (!is_break) words.back() += c;
    if ((is_break || c == ';' || c == '=' || c == ',') && !words.back().empty()) words.emplace_back();
  }
  if (words.size() > 1 && words.back().empty()) words.pop_back();
  return words;
}

double width_of_heading(std::string_view heading) {
  double width = 0;
  for (const auto& word : words_of(heading)) width = std::max(width, width_of(word));
  return width;
}

// The width of a column's longest cell, by this measure of length.
double width_of_cells(const table& t, std::size_t column, double (*length)(std::string_view)) {
  double longest = 0;
  for (const auto& line : t.lines) longest = std::max(longest, length(to_text(line[column])));
  return longest * width_of_character;
}

class sheet {
 public:
  explicit sheet(const table& t) : t_(t) {
    for (std::size_t i = 0; i < t.columns.size(); ++i)
      widths_.push_back(std::max(width_of_cells(t, i, latex_length), width_of_heading(t.columns[i])));
    shrink_texts();
  }

  std::vector<range> blocks() const {
    std::vector<range> all;
    double width = 0;
    for (std::size_t i = t_.text_columns; i < t_.columns.size(); ++i) {
      if (all.empty() || width + widths_[i] + width_of_gap > latex_width_of_page) {
        all.push_back({i, i});
        width = width_of_all_texts();
      }
      all.back().last = i + 1;
      width += widths_[i] + width_of_gap;
    }
    if (all.empty()) all.push_back({t_.columns.size(), t_.columns.size()});
    return all;
  }

  std::size_t height_of(std::size_t line) const {
    double height = 1;
    for (std::size_t i = 0; i < t_.text_columns; ++i)
      height = std::max(height, std::ceil(1.25 * width_of(to_text(t_.lines[line][i])) / widths_[i]));
    return static_cast<std::size_t>(height);
  }

  std::size_t height_of_head() const {
    std::size_t height = 1;
    for (const auto& column : t_.columns) height = std::max(height, words_of(column).size());
    return height + 1;
  }

  std::string tabular(range block, range lines) const {
    std::string alignment;
    for (std::size_t i = 0; i < t_.text_columns; ++i) alignment += fmt::format("p{{{:.0f}pt}}", widths_[i]);
    alignment += std::string(block.last - block.first, 'r');
    auto text = fmt::format("\\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n", alignment, head(block));
    for (std::size_t i = lines.first; i < lines.last; ++i) {
      if (i > lines.first && to_text(t_.lines[i].front()) != to_text(t_.lines[i - 1].front()))
        text += "\\midrule\n";
      text += line_of(i, block);
    }
    return text + "\\bottomrule\n\\end{tabular}\n";
  }

 private:
  double width_of_all_texts() const {
    double width = 0;
    for (std::size_t i = 0; i < t_.text_columns; ++i) width += widths_[i] + width_of_gap;
    return width;
  }

  // Narrows the widest texts until all have room.
  void shrink_texts() {
    double room = latex_width_of_page;
    for (std::size_t i = t_.text_columns; i < t_.columns.size(); ++i) room -= widths_[i] + width_of_gap;
    room = std::max(room, width_of_texts);
    std::vector<double> least;
    for (std::size_t i = 0; i < t_.text_columns; ++i)
      least.push_back(std::min(
          widths_[i], std::max(least_width_of_text, width_of_cells(t_, i, length_of_longest_piece))));
    while (width_of_all_texts() > room) {
      std::size_t widest = least.size();
      for (std::size_t i = 0; i < least.size(); ++i)
        if (widths_[i] > least[i] && (widest == least.size() || widths_[i] > widths_[widest])) widest = i;
      if (widest == least.size()) return;
      widths_[widest] = std::max(least[widest], widths_[widest] - width_of_character);
    }
  }

  std::string head(range block) const {
    std::string text;
    for (std::size_t i = 0; i < t_.columns.size(); ++i) {
      const bool is_text = i < t_.text_columns;
      if (!is_text && (i < block.first || i >= block.last)) continue;
      auto lines = latex_lines(words_of(t_.columns[i]), widths_[i], width_of_character);
      for (auto& line : lines) line = for_latex(line);
      text += fmt::format("{}\\shortstack[{}]{{\\strut {}}}", i == 0 ? "" : " & ", is_text ? "l" : "r",
                          fmt::join(lines, "\\\\"));
    }
    return text + " \\\\\n";
  }

  std::string line_of(std::size_t line, range block) const {
    std::string text;
    for (std::size_t i = 0; i < t_.columns.size(); ++i) {
      const bool is_text = i < t_.text_columns;
      if (!is_text && (i < block.first || i >= block.last)) continue;
      const auto cell = to_text(t_.lines[line][i]);
      text += (i == 0 ? "" : " & ") +
              (is_text ? "\\raggedright{}" + for_latex_with_breaks(cell) : for_latex(cell));
    }
    const bool ends_with_text = block.first >= block.last;
    return text + (ends_with_text ? " \\tabularnewline\n" : " \\\\\n");
  }

  const table& t_;
  std::vector<double> widths_;
};

}  // namespace

std::string to_latex(const table& t) {
  const sheet s(t);
  std::vector<std::string> floats;
  for (const auto& block : s.blocks())
    for (std::size_t first = 0; first == 0 || first < t.lines.size();) {
      auto last = first;
      auto height = s.height_of_head();
      while (last < t.lines.size() && (last == first || height + s.height_of(last) <= lines_of_page))
        height += s.height_of(last++);
      floats.push_back(s.tabular(block, {first, last}));
      first = std::max(last, first + 1);
    }
  std::string text(latex_rules());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const bool is_of_paper = t.title.starts_with("Table") || t.title.starts_with("Fig");
    const auto title = (is_of_paper ? "The paper's " : "") + for_latex(with_unit(t.title, t.unit));
    text += fmt::format(
        "\\begin{{table}}[htbp]\n\\centering\\scriptsize\\setlength{{\\tabcolsep}}{{2.5pt}}\n{}\\caption{{{}{"
        "}}}\n",
        i == 0 ? "" : "\\addtocounter{table}{-1}\n", title, i == 0 ? "" : " (continued)");
    if (i == 0) text += fmt::format("\\label{{tab:all_{}}}\n", safe_name(t.id));
    text += floats[i] + "\\end{table}\n";
  }
  return text;
}

}  // namespace reprise::reports
