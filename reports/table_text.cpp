// SPDX-License-Identifier: MIT
// A table as Markdown, CSV and LaTeX. What comes from files is data: it is escaped for the language it goes
// into.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "reports/csv.hpp"
#include "reports/pivot.hpp"
#include "reports/tables.hpp"

namespace reprise::reports {
namespace {

constexpr auto missing = "–";

std::string escaped(std::string_view text, const std::map<char, std::string>& by) {
  std::string result;
  for (const char c : text) {
    const auto found = by.find(c);
    if (found != by.end()) {
      result += found->second;
    } else {
      result += c;
    }
  }
  return result;
}

std::string for_latex(std::string_view text) {
  static const std::map<char, std::string> by{{'\\', "\\textbackslash{}"},
                                              {'{', "\\{"},
                                              {'}', "\\}"},
                                              {'$', "\\$"},
                                              {'&', "\\&"},
                                              {'#', "\\#"},
                                              {'%', "\\%"},
                                              {'_', "\\_"},
                                              {'^', "\\textasciicircum{}"},
                                              {'~', "\\textasciitilde{}"},
                                              {'<', "\\textless{}"},
                                              {'>', "\\textgreater{}"},
                                              {'|', "\\textbar{}"},
                                              {'"', "\\textquotedbl{}"},
                                              {'\n', " "},
                                              {'\r', " "}};
  return text == missing ? "--" : escaped(text, by);
}

std::vector<std::string> all_columns(const table& t) {
  std::vector<std::string> columns{"source"};
  columns.insert(columns.end(), t.head_columns.begin(), t.head_columns.end());
  columns.insert(columns.end(), t.columns.begin(), t.columns.end());
  return columns;
}

std::vector<std::string> all_cells(const table_line& line) {
  std::vector<std::string> cells{line.published ? "published" : "measured"};
  cells.insert(cells.end(), line.head.begin(), line.head.end());
  for (const auto& c : line.cells) cells.push_back(to_text(c));
  return cells;
}

template <class Escape>
std::string joined(std::vector<std::string> cells, const char* between, Escape escape) {
  for (auto& c : cells) c = escape(c);
  return fmt::format("{}", fmt::join(cells, between));
}

}  // namespace

std::string for_markdown(std::string_view text) {
  static const std::map<char, std::string> by{{'\\', "\\\\"}, {'|', "\\|"}, {'*', "\\*"},  {'`', "\\`"},
                                              {'[', "\\["},   {']', "\\]"}, {'<', "&lt;"}, {'>', "&gt;"},
                                              {'&', "&amp;"}, {'\n', " "},  {'\r', " "}};
  return escaped(text, by);
}

std::string to_text(const cell& c) {
  if (c.is_missing && std::isnan(c.value)) return missing;
  if (std::isnan(c.value)) return {};
  // Counts are exact, and a rounded one would read as exact too.
  constexpr double readable = 1e9;
  const double size = std::abs(c.value);
  const bool in_full = size < readable && (c.value == std::round(c.value) || size >= 1e4);
  const auto text = in_full ? fmt::format("{:.0f}", c.value) : fmt::format("{:.4g}", c.value);
  return c.unit.empty() ? text : text + " " + c.unit;
}

std::string to_markdown(const table& t) {
  const auto columns = all_columns(t);
  auto text = fmt::format("**{}**\n\n", for_markdown(with_unit(t.title, t.unit)));
  text += fmt::format("| {} |\n|", joined(columns, " | ", for_markdown));
  for (std::size_t i = 0; i < columns.size(); ++i) text += i > t.head_columns.size() ? " ---: |" : " --- |";
  text += '\n';
  for (const auto& line : t.lines)
    text += fmt::format("| {} |\n", joined(all_cells(line), " | ", for_markdown));
  if (!t.note.empty()) text += fmt::format("\n{}\n", for_markdown(t.note));
  return text;
}

std::string to_csv(const table& t) {
  const auto column_names = [&] {
    auto names = all_columns(t);
    for (std::size_t i = names.size() - t.columns.size(); i < names.size(); ++i)
      names[i] = with_unit(names[i], t.unit);
    return names;
  }();
  std::string text = joined(column_names, ",", csv::cell) + '\n';
  for (const auto& line : t.lines) {
    auto fields = all_cells(line);
    for (std::size_t i = 0; i < line.cells.size(); ++i) {
      const auto& c = line.cells[i];
      auto& field = fields[fields.size() - line.cells.size() + i];
      field = std::isnan(c.value) ? csv::cell(field)
                                  : csv::field(csv::number(c.value) + (c.unit.empty() ? "" : " " + c.unit));
    }
    for (std::size_t i = 0; i + line.cells.size() < fields.size(); ++i) fields[i] = csv::cell(fields[i]);
    text += csv::line(fields);
  }
  return text;
}

std::string to_latex(const table& t) {
  const auto columns = all_columns(t);
  auto text = fmt::format("% {}\n% Needs \\usepackage{{booktabs}}.\n", for_latex(with_unit(t.title, t.unit)));
  text += fmt::format("\\begin{{tabular}}{{{}{}}}\n\\toprule\n", std::string(1 + t.head_columns.size(), 'l'),
                      std::string(t.columns.size(), 'r'));
  text += fmt::format("{} \\\\\n\\midrule\n", joined(columns, " & ", for_latex));
  for (std::size_t i = 0; i < t.lines.size(); ++i) {
    if (i > 0 && t.lines[i].published != t.lines[i - 1].published) text += "\\midrule\n";
    text += fmt::format("{} \\\\\n", joined(all_cells(t.lines[i]), " & ", for_latex));
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace reprise::reports
