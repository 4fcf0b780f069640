// SPDX-License-Identifier: MIT
// Writes floats with caption, notes and reasons. In a table too wide for a page the measured numbers stand below the printed
// ones; one that is still too wide is split into blocks of columns, and one too long into several floats.
#include "reports/page/printed_latex.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reports/page/latex_cells.hpp"
#include "reports/page/printed_heads.hpp"
#include "reports/page/printed_stacked.hpp"
#include "reports/store/files.hpp"
#include "reports/text/latex.hpp"
#include "reports/text/wrapped.hpp"

namespace reprise::reports {
namespace {

constexpr double width_of_gap = 7;  // between columns, in points
constexpr std::size_t lines_of_page = 52, characters_of_note_line = 95;

struct columns_range {
  std::size_t first{}, last{};
};

std::string latex_beside(const measured_number& m, const std::vector<std::string>& notes) {
  std::string small;
  for (const auto& text : {m.ratio_text, m.beside_text, m.runs_text.empty() ? "" : "by run " + m.runs_text})
    if (!text.empty()) small += (small.empty() ? "" : " ") + latex_number(text);
  auto text = latex_number(m.text);
  if (!small.empty()) text += fmt::format(" {{\\scriptsize {}}}", small);
  return latex_measured(m, text, notes);
}

double width_of(const measured_number& m) {
  constexpr double small = 0.8;
  constexpr std::size_t gaps = 2, length_of_by_run = 7;
  const auto in_full = width(m.text) + gaps + (m.verdict.empty() ? 0 : 2);
  auto in_small = 2 * m.notes.size() + (m.runs_text.empty() ? 0 : length_of_by_run);
  for (const auto& text : {m.ratio_text, m.beside_text, m.runs_text})
    in_small += text.empty() ? 0 : width(text) + 1;
  return (static_cast<double>(in_full) + small * static_cast<double>(in_small)) * width_of_character;
}

// How a table is set.
struct setting {
  bool is_stacked{};  // measured numbers stand below the printed ones
};

// A column of printed numbers and the one beside it, together.
double width_of_column(const printed_table& t, std::size_t column, setting s) {
  if (s.is_stacked) return stacked_width(t, column);
  double printed = 0, beside = 0;
  for (const auto& line : t.cells)
    if (const auto& c = line[column]) {
      printed = std::max(printed, static_cast<double>(width(c->text)) * width_of_character);
      beside = std::max(beside, width_of(c->numbers.front()));
    }
  const auto heading = static_cast<double>(width(t.columns[column].back())) * width_of_character;
  return std::max(printed + beside + width_of_gap, heading) + width_of_gap;
}

constexpr double widest_stub = 0.42 * latex_width_of_page;

double width_of_label(const printed_table& t, std::size_t label, setting s) {
  if (s.is_stacked) return stacked_width_of_label(t, label);
  auto most = width(t.stub[label]);
  for (const auto& labels : t.labels) most = std::max(most, width(labels[label]));
  return static_cast<double>(most) * width_of_character + width_of_gap;
}

double width_of_stub(const printed_table& t, setting s) {
  double width = 0;
  for (std::size_t i = 0; i < t.stub.size(); ++i) width += std::min(width_of_label(t, i, s), widest_stub);
  return width;
}

std::vector<columns_range> blocks_of(const printed_table& t, setting s) {
  std::vector<columns_range> blocks;
  double width = 0;
  for (std::size_t i = 0; i < t.columns.size(); ++i) {
    const double own = width_of_column(t, i, s);
    if (blocks.empty() || width + own > latex_width_of_page) {
      blocks.push_back({i, i});
      width = width_of_stub(t, s);
    }
    blocks.back().last = i + 1;
    width += own;
  }
  return blocks;
}

std::string head_of(const printed_table& t, columns_range block, setting s) {
  if (s.is_stacked) return stacked_head(t, block.first, block.last);
  std::string text;
  for (std::size_t level = 0; level < depth_of(t); ++level) {
    const bool is_last = level + 1 == depth_of(t);
    std::string rules;
    for (const auto& name : t.stub) text += (is_last ? for_latex(name) : std::string()) + " & ";
    std::size_t column = t.stub.size() + 1;
    bool is_first = true;
    const auto all = headings_at(t, level);
    const std::vector<std::string> own(all.begin() + static_cast<std::ptrdiff_t>(block.first),
                                       all.begin() + static_cast<std::ptrdiff_t>(block.last));
    for (const auto& [heading, span] : spans(own, !is_last)) {
      text += fmt::format("{}\\multicolumn{{{}}}{{c}}{{{}}}", is_first ? "" : " & ", 2 * span,
                          for_latex(heading));
      if (!is_last && !heading.empty())
        rules += fmt::format("\\cmidrule(lr){{{}-{}}}", column, column + 2 * span - 1);
      column += 2 * span;
      is_first = false;
    }
    text += " \\\\\n" + (rules.empty() ? "" : rules + "\n");
  }
  return text;
}

std::vector<std::string> labels_of(const printed_table& t, std::size_t row, bool is_first, setting s) {
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < t.stub.size(); ++i) {
    const bool is_repeated = i + 1 < t.stub.size() && !is_first && t.labels[row][i] == t.labels[row - 1][i];
    const bool is_long = width_of_label(t, i, s) > widest_stub;
    fields.push_back(is_repeated ? "" : (is_long ? "\\raggedright " : "") + for_latex(t.labels[row][i]));
  }
  return fields;
}

struct rows_range {
  std::size_t first{}, last{};
};

// The width of a long label: what the block's other columns leave of the page.
double width_for_long_labels(const printed_table& t, columns_range block, setting s) {
  double left = latex_width_of_page;
  std::size_t count = 0;
  for (std::size_t i = 0; i < t.stub.size(); ++i) {
    const double own = width_of_label(t, i, s);
    if (own > widest_stub)
      ++count;
    else
      left -= own;
  }
  for (std::size_t i = block.first; i < block.last; ++i) left -= width_of_column(t, i, s);
  constexpr double narrowest = 60;
  const double each = left / static_cast<double>(std::max<std::size_t>(count, 1)) - width_of_gap;
  return std::clamp(each, narrowest, widest_stub);
}

// The lines that a row takes.
std::size_t height_of_row(const printed_table& t, columns_range block, std::size_t row, setting s) {
  double lines = 1;
  if (s.is_stacked)
    lines = 0.5 + static_cast<double>(stacked_lines(t, row, block.first, block.last, {}).size());
  for (std::size_t i = 0; i < t.stub.size(); ++i) {
    if (width_of_label(t, i, s) <= widest_stub) continue;
    const double own = static_cast<double>(width(t.labels[row][i])) * width_of_character;
    lines = std::max(lines, std::ceil(1.15 * own / width_for_long_labels(t, block, s)));
  }
  return static_cast<std::size_t>(std::ceil(lines));
}

std::string alignment_of(const printed_table& t, columns_range block, setting s) {
  std::string alignment;
  for (std::size_t i = 0; i < t.stub.size(); ++i)
    alignment += width_of_label(t, i, s) > widest_stub
                     ? fmt::format("p{{{:.0f}pt}}", width_for_long_labels(t, block, s))
                     : "l";
  for (std::size_t i = block.first; i < block.last; ++i)
    alignment += s.is_stacked ? "r" : "r@{\\hspace{3pt}}l";
  return alignment;
}

std::string row_side_by_side(const printed_table& t, columns_range block, std::size_t row,
                             std::vector<std::string> fields, const std::vector<std::string>& notes) {
  for (std::size_t i = block.first; i < block.last; ++i) {
    const auto& c = t.cells[row][i];
    fields.push_back(c ? latex_number(c->text) : "--");
    fields.push_back(c ? latex_beside(c->numbers.front(), notes) : "");
  }
  return fmt::format("{} \\\\\n", fmt::join(fields, " & "));
}

// Labels stand on the row's first line.
std::string row_stacked(const printed_table& t, columns_range block, std::size_t row,
                        const std::vector<std::string>& fields, const std::vector<std::string>& notes) {
  std::string text;
  const auto lines = stacked_lines(t, row, block.first, block.last, notes);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const auto& field : fields) text += (i == 0 ? field : std::string()) + " & ";
    text += lines[i] + (i + 1 < lines.size() ? " \\\\*\n" : " \\\\\n");
  }
  return text;
}

std::string tabular(const printed_table& t, columns_range block, rows_range rows, setting s,
                    const std::vector<std::string>& notes) {
  auto text = fmt::format("\\reprisefit{{\\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n",
                          alignment_of(t, block, s), head_of(t, block, s));
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    const bool is_new = row > rows.first && t.stub.size() > 1 && t.columns.size() > 1 &&
                        t.labels[row].front() != t.labels[row - 1].front();
    if (is_new || (s.is_stacked && row > rows.first)) text += "\\addlinespace\n";
    const auto labels = labels_of(t, row, row == rows.first, s);
    text += s.is_stacked ? row_stacked(t, block, row, labels, notes)
                         : row_side_by_side(t, block, row, labels, notes);
  }
  return text + "\\bottomrule\n\\end{tabular}}\n";
}

// What the marks of the first view mean.
std::string legend_of(const printed_table& t) {
  std::set<std::pair<std::string_view, std::string>> used;
  for (const auto& line : t.cells)
    for (const auto& c : line)
      if (c && !c->numbers.front().verdict.empty())
        used.emplace(latex_mark(c->numbers.front().verdict), c->numbers.front().verdict);
  std::vector<std::string> texts;
  for (const auto& [mark, verdict] : used) texts.push_back(fmt::format("{} {}", mark, for_latex(verdict)));
  return texts.empty() ? std::string() : fmt::format("Claims on these numbers: {}.", fmt::join(texts, ", "));
}

std::vector<std::string> lines_below(const printed_table& t, const std::vector<std::string>& notes) {
  std::vector<std::string> lines;
  if (!t.note.empty()) lines.push_back(for_latex(t.note));
  if (auto legend = legend_of(t); !legend.empty()) lines.push_back(std::move(legend));
  if (!t.sources.front().empty()) lines.push_back(fmt::format("Runs: {}.", for_latex(t.sources.front())));
  for (const auto& note : notes)
    lines.push_back(fmt::format("$^{{{}}}$ {}", note_letter(notes, note), for_latex(note)));
  return lines;
}

std::size_t height_of_note(const std::string& line) {
  return line.size() / characters_of_note_line + 1;
}

// The contents of one float, and the lines that it takes.
struct page_of_table {
  std::string text;
  std::size_t height{};
};

std::vector<page_of_table> pages_of(const printed_table& t, setting s,
                                    const std::vector<std::string>& notes) {
  std::vector<page_of_table> pages;
  const auto add = [&](const std::string& text, std::size_t height) {
    if (pages.empty() || pages.back().height + height > lines_of_page) pages.emplace_back();
    pages.back().text += (pages.back().text.empty() ? "" : "\\par\\medskip\n") + text;
    pages.back().height += height;
  };
  for (const auto& block : blocks_of(t, s)) {
    const auto head = 2 + (s.is_stacked ? stacked_height_of_head(t, block.first, block.last) : depth_of(t));
    for (std::size_t first = 0; first < t.labels.size();) {
      auto last = first;
      std::size_t height = head;
      while (last < t.labels.size() &&
             (last == first || height + height_of_row(t, block, last, s) <= lines_of_page))
        height += height_of_row(t, block, last++, s);
      add(tabular(t, block, {first, last}, s, notes), height);
      first = last;
    }
  }
  if (pages.empty()) pages.emplace_back();
  const auto lines = lines_below(t, notes);
  for (std::size_t first = 0; first < lines.size();) {
    const auto left = pages.back().height < lines_of_page ? lines_of_page - pages.back().height : 0;
    const auto room = std::max<std::size_t>(left, 4);
    auto last = first;
    std::size_t height = 0;
    while (last < lines.size() && (last == first || height + height_of_note(lines[last]) <= room))
      height += height_of_note(lines[last++]);
    const std::span some(lines.begin() + static_cast<std::ptrdiff_t>(first), last - first);
    add(fmt::format("\\begin{{minipage}}{{\\linewidth}}\\scriptsize\\raggedright\n{}\\end{{minipage}}\n",
                    fmt::join(some, "\\\\\n")),
        height);
    first = last;
  }
  return pages;
}

// The notes of the first view, in the order in which a reader of these blocks meets them.
std::vector<std::string> notes_in_order(const printed_table& t, const std::vector<columns_range>& blocks) {
  std::vector<std::string> notes;
  for (const auto& block : blocks) {
    auto part = t;
    for (auto& line : part.cells)
      for (std::size_t i = 0; i < line.size(); ++i)
        if (i < block.first || i >= block.last) line[i].reset();
    for (auto& note : notes_of_first_view(std::move(part)))
      if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  }
  return notes;
}

// Fits a tabular into the width of the text, if the document loads graphicx.
constexpr std::string_view fit =
    "\\providecommand{\\reprisefit}[1]{\\sbox0{#1}\\ifdim\\wd0>\\linewidth\\ifdefined\\resizebox"
    "\\resizebox{\\linewidth}{!}{\\usebox0}\\else\\usebox0\\fi\\else\\usebox0\\fi}\n";

}  // namespace

std::string to_latex(const printed_table& table) {
  const setting s{blocks_of(table, {}).size() > 1};
  const auto t = s.is_stacked ? with_wide_parts_as_notes(table) : table;
  const auto notes = notes_in_order(t, blocks_of(t, s));
  std::string text(latex_rules());
  text += fit;
  const auto pages = pages_of(t, s, notes);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto caption =
        i == 0
            ? fmt::format("{} (the paper's {}). In print, and {} measured with {}, with the ratio of both.",
                          for_latex(t.caption), for_latex(t.title),
                          s.is_stacked ? "below it in bold" : "beside it", for_latex(measured_with(t, 0)))
            : fmt::format("The paper's {} (continued).", for_latex(t.title));
    text += fmt::format(
        "\\begin{{table}}[htbp]\n\\centering\\footnotesize\\setlength{{\\tabcolsep}}{{{}pt}}\n"
        "\\setlength{{\\belowcaptionskip}}{{4pt}}"
        "{}\\caption{{{}}}\n",
        s.is_stacked ? 2 : 3, i == 0 ? "" : "\\addtocounter{table}{-1}\n", caption);
    if (i == 0) text += fmt::format("\\label{{tab:{}}}\n", safe_name(t.id));
    text += pages[i].text + "\\end{table}\n";
  }
  return text;
}

}  // namespace reprise::reports
