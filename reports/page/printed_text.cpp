// SPDX-License-Identifier: MIT
// Writes printed tables. Neighbouring headings with the same text become one that spans their columns, and so do labels
// of rows.
#include "reports/page/printed_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/store/csv.hpp"
#include "reports/text/digits.hpp"
#include "reports/text/latex.hpp"

namespace reprise::reports {
namespace {

using nlohmann::json;
using optional_cell = std::optional<printed_cell>;

std::string joined_heading(const std::vector<std::string>& levels) {
  return fmt::format("{}", fmt::join(levels, ": "));
}

std::string six_digits(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{:.6g}", value);
}

std::vector<std::string> escaped(std::vector<std::string> texts) {
  for (auto& text : texts) text = for_markdown(text);
  return texts;
}

std::string title_of(const printed_table& t) {
  return fmt::format("{}: {}", t.title, t.caption);
}

// What stands beside a printed number.
std::string beside(const measured_number& m, const std::vector<std::string>& reasons) {
  if (m.from == nullptr) return fmt::format("{} [{}]", no_number, note_letter(reasons, m.reason));
  return m.ratio_text.empty() ? m.text : fmt::format("{} ({})", m.text, m.ratio_text);
}

std::vector<std::string> reasons_of_first_view(printed_table t) {
  for (auto& line : t.cells)
    for (auto& cell : line)
      if (cell) cell->numbers.resize(1);
  return reasons_of(t);
}

std::size_t depth_of(const printed_table& t) {
  std::size_t depth = 1;
  for (const auto& levels : t.columns) depth = std::max(depth, levels.size());
  return depth;
}

// A column's heading at a level, counted from the innermost one.
std::string heading_at(const std::vector<std::string>& levels, std::size_t depth, std::size_t level) {
  const auto missing = depth - levels.size();
  return level < missing ? std::string() : levels[level - missing];
}

// Runs of equal neighbours: text and length.
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

json head_json(const printed_table& t) {
  json rows = json::array();
  for (std::size_t level = 0; level < depth_of(t); ++level) {
    json cells = json::array();
    for (const auto& [text, span] : spans(headings_at(t, level), level + 1 < depth_of(t)))
      cells.push_back({{"text", text}, {"span", span}});
    rows.push_back(cells);
  }
  return rows;
}

// The labels of a row; a label that the row above has too spans both, and is null here.
json labels_json(const printed_table& t, std::size_t row) {
  json labels = json::array();
  for (std::size_t i = 0; i < t.stub.size(); ++i) {
    const auto same = [&](std::size_t other) {
      return std::equal(t.labels[row].begin(), t.labels[row].begin() + static_cast<std::ptrdiff_t>(i) + 1,
                        t.labels[other].begin());
    };
    const bool is_last = i + 1 == t.stub.size();
    if (!is_last && row > 0 && same(row - 1)) {
      labels.push_back(nullptr);
      continue;
    }
    std::size_t span = 1;
    while (!is_last && row + span < t.labels.size() && same(row + span)) ++span;
    labels.push_back({{"text", t.labels[row][i]}, {"span", span}});
  }
  return labels;
}

json number_json(const measured_number& m, const std::vector<std::string>& reasons, const case_links& links) {
  json object = {{"views", json::array()}};
  if (m.from == nullptr) {
    object.update({{"reason", m.reason}, {"note", note_letter(reasons, m.reason)}});
    return object;
  }
  object.update({{"text", with_superscripts(m.text)},
                 {"ratio", with_superscripts(m.ratio_text)},
                 {"value", m.value},
                 {"band", to_string(m.distance)}});
  if (!m.verdict.empty()) object.update({{"verdict", m.verdict}, {"claim", m.claim}});
  if (const auto page = links.find(m.from); page != links.end()) object["page"] = page->second;
  return object;
}

json cell_json(const optional_cell& c, const std::vector<std::string>& reasons, const case_links& links) {
  if (!c) return nullptr;
  json measured = json::array();
  for (std::size_t view = 0; view < c->numbers.size(); ++view) {
    const auto& m = c->numbers[view];
    const auto same = [&](std::size_t other) {
      return c->numbers[other].from == m.from && c->numbers[other].reason == m.reason;
    };
    std::size_t first = 0;
    while (!same(first)) ++first;
    if (first == view) {
      measured.push_back(number_json(m, reasons, links));
      measured.back()["views"].push_back(view);
      continue;
    }
    for (auto& entry : measured)
      if (entry["views"].front() == first) entry["views"].push_back(view);
  }
  return {{"printed", with_superscripts(c->text)},
          {"value", c->value},
          {"unit", c->unit},
          {"measured", measured}};
}

// Escapes first, so that the powers' dollar signs stay.
std::string latex_number(std::string_view text) {
  return with_latex_powers(for_latex(text));
}

std::string latex_beside(const measured_number& m, const std::vector<std::string>& reasons) {
  if (m.from == nullptr) return fmt::format("--$^{{{}}}$", note_letter(reasons, m.reason));
  if (m.ratio_text.empty()) return latex_number(m.text);
  return fmt::format("{} {{\\scriptsize {}}}", latex_number(m.text), latex_number(m.ratio_text));
}

std::string latex_head(const printed_table& t) {
  std::string text;
  for (std::size_t level = 0; level < depth_of(t); ++level) {
    const bool is_last = level + 1 == depth_of(t);
    std::string rules;
    for (const auto& name : t.stub) text += (is_last ? for_latex(name) : std::string()) + " & ";
    std::size_t column = t.stub.size() + 1;
    bool is_first = true;
    for (const auto& [heading, span] : spans(headings_at(t, level), !is_last)) {
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

}  // namespace

std::string to_markdown(const printed_table& t) {
  const auto reasons = reasons_of_first_view(t);
  auto text = fmt::format("**{}**\n\n| {} |", for_markdown(title_of(t)), fmt::join(escaped(t.stub), " | "));
  for (const auto& levels : t.columns) text += fmt::format(" {} |", for_markdown(joined_heading(levels)));
  text += "\n|";
  for (std::size_t i = 0; i < t.stub.size(); ++i) text += " --- |";
  for (std::size_t i = 0; i < t.columns.size(); ++i) text += " ---: |";
  for (std::size_t row = 0; row < t.labels.size(); ++row) {
    text += fmt::format("\n| {} |", fmt::join(escaped(t.labels[row]), " | "));
    for (std::size_t i = 0; i < t.columns.size(); ++i) {
      const auto& c = t.cells[row][i];
      text += c ? fmt::format(" {} → {} |", for_markdown(with_superscripts(c->text)),
                              with_superscripts(beside(c->numbers.front(), reasons)))
                : fmt::format(" {} |", no_number);
    }
  }
  text += fmt::format("\n\nPrinted → measured ({}), with the ratio of both. {}\n",
                      for_markdown(label_of(t.views.front())), for_markdown(t.note));
  for (const auto& reason : reasons)
    text += fmt::format("\n[{}] {}  ", note_letter(reasons, reason), for_markdown(reason));
  return text + (reasons.empty() ? "" : "\n");
}

std::string to_csv(const printed_table& t) {
  auto heads = t.stub;
  for (const auto& levels : t.columns)
    for (const auto* what : {"", " measured", " ratio", " reason"})
      heads.push_back(joined_heading(levels) + what);
  for (auto& head : heads) head = csv::cell(head);
  auto text = fmt::format("{}\n", fmt::join(heads, ","));
  for (std::size_t row = 0; row < t.labels.size(); ++row) {
    std::vector<std::string> fields;
    for (const auto& label : t.labels[row]) fields.push_back(csv::cell(label));
    for (const auto& c : t.cells[row]) {
      if (!c) {
        fields.insert(fields.end(), 4, "");
        continue;
      }
      const auto& m = c->numbers.front();
      for (const auto& field :
           {csv::cell(c->text), six_digits(m.value), six_digits(m.ratio), csv::cell(m.reason)})
        fields.push_back(field);
    }
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

std::string to_latex(const printed_table& t) {
  const auto reasons = reasons_of_first_view(t);
  std::string alignment(t.stub.size(), 'l');
  for (std::size_t i = 0; i < t.columns.size(); ++i) alignment += "rr";
  auto text = fmt::format(
      "% {}\n% Printed number, measured number and their ratio; measured: {}.\n{}"
      "\\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n",
      for_latex(title_of(t)), for_latex(label_of(t.views.front())), latex_rules(), alignment, latex_head(t));
  for (std::size_t row = 0; row < t.labels.size(); ++row) {
    const bool is_new = row > 0 && t.stub.size() > 1 && t.columns.size() > 1 &&
                        t.labels[row].front() != t.labels[row - 1].front();
    if (is_new) text += "\\addlinespace\n";
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < t.stub.size(); ++i) {
      const bool is_repeated = i + 1 < t.stub.size() && row > 0 && t.labels[row][i] == t.labels[row - 1][i];
      fields.push_back(is_repeated ? "" : for_latex(t.labels[row][i]));
    }
    for (std::size_t i = 0; i < t.columns.size(); ++i) {
      const auto& c = t.cells[row][i];
      fields.push_back(c ? latex_number(c->text) : "--");
      fields.push_back(c ? latex_beside(c->numbers.front(), reasons) : "");
    }
    text += fmt::format("{} \\\\\n", fmt::join(fields, " & "));
  }
  text += "\\bottomrule\n\\end{tabular}\n";
  for (const auto& reason : reasons)
    text += fmt::format("% {}: {}\n", note_letter(reasons, reason), for_latex(reason));
  return text;
}

json to_json(const printed_table& t, const case_links& links) {
  const auto reasons = reasons_of(t);
  json rows = json::array(), views = json::array();
  for (const auto& view : t.views) views.push_back(label_of(view));
  for (std::size_t row = 0; row < t.labels.size(); ++row) {
    json cells = json::array();
    for (std::size_t i = 0; i < t.columns.size(); ++i)
      cells.push_back(cell_json(t.cells[row][i], reasons, links));
    rows.push_back({{"labels", labels_json(t, row)}, {"cells", cells}});
  }
  const auto count = count_cells({&t, 1});
  return {{"id", t.id},
          {"title", t.title},
          {"caption", t.caption},
          {"note", t.note},
          {"stub", t.stub},
          {"head", head_json(t)},
          {"views", views},
          {"reasons", reasons},
          {"rows", rows},
          {"printed", count.printed},
          {"measured", count.measured}};
}

}  // namespace reprise::reports
