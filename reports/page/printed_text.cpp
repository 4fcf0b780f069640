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

#include "reports/page/printed_heads.hpp"
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

// What stands beside a printed number.
std::string beside(const measured_number& m, const std::vector<std::string>& notes) {
  if (m.from == nullptr) return fmt::format("{} [{}]", no_number, note_letter(notes, m.reason));
  auto text = m.text;
  if (!m.beside_text.empty()) text += " " + m.beside_text;
  if (!m.runs_text.empty()) text += fmt::format(", by run {}", m.runs_text);
  if (!m.ratio_text.empty()) text += fmt::format(" ({})", m.ratio_text);
  for (const auto& note : m.notes) text += fmt::format(" [{}]", note_letter(notes, note));
  return text;
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

json number_json(const measured_number& m, const std::vector<std::string>& notes, const case_links& links) {
  json object = {{"views", json::array()}};
  if (m.from == nullptr) {
    object.update({{"reason", m.reason}, {"note", note_letter(notes, m.reason)}});
    return object;
  }
  object.update({{"text", with_superscripts(m.text)},
                 {"ratio", with_superscripts(m.ratio_text)},
                 {"value", m.value},
                 {"band", to_string(m.distance)}});
  if (!m.verdict.empty()) object.update({{"verdict", m.verdict}, {"claim", m.claim}});
  if (const auto page = links.find(m.from); page != links.end()) object["page"] = page->second;
  if (!m.beside_text.empty()) {
    const auto page = links.find(m.beside);
    object["beside"] = {{"text", m.beside_text}, {"page", page == links.end() ? "" : page->second}};
  }
  if (!m.runs_text.empty()) object["by_run"] = m.runs_text;
  for (const auto& note : m.notes)
    object["notes"].push_back({{"letter", note_letter(notes, note)}, {"text", note}});
  return object;
}

json cell_json(const optional_cell& c, const std::vector<std::string>& notes, const case_links& links) {
  if (!c) return nullptr;
  json measured = json::array();
  for (std::size_t view = 0; view < c->numbers.size(); ++view) {
    const auto& m = c->numbers[view];
    const auto same = [&](std::size_t other) {
      return c->numbers[other].from == m.from && c->numbers[other].beside == m.beside &&
             c->numbers[other].reason == m.reason;
    };
    std::size_t first = 0;
    while (!same(first)) ++first;
    if (first == view) {
      measured.push_back(number_json(m, notes, links));
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

}  // namespace

std::string to_markdown(const printed_table& t) {
  const auto notes = notes_of_first_view(t);
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
                              with_superscripts(beside(c->numbers.front(), notes)))
                : fmt::format(" {} |", no_number);
    }
  }
  text +=
      fmt::format("\n\nPrinted → measured ({}), with the ratio of both. Runs: {}. {}\n",
                  for_markdown(measured_with(t, 0)), for_markdown(t.sources.front()), for_markdown(t.note));
  for (const auto& note : notes)
    text += fmt::format("\n[{}] {}  ", note_letter(notes, note), for_markdown(note));
  return text + (notes.empty() ? "" : "\n");
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
           {csv::cell(c->text), six_digits(m.value), six_digits(m.ratio),
            csv::cell(m.from == nullptr ? m.reason : fmt::format("{}", fmt::join(m.notes, "; ")))})
        fields.push_back(field);
    }
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

json to_json(const printed_table& t, const case_links& links) {
  const auto notes = notes_of(t);
  json rows = json::array(), views = json::array(), others = json::array();
  for (std::size_t view = 0; view < t.views.size(); ++view) {
    views.push_back(label_of(t.views[view]));
    others.push_back(on_other_devices(t, view));
  }
  for (std::size_t row = 0; row < t.labels.size(); ++row) {
    json cells = json::array();
    for (std::size_t i = 0; i < t.columns.size(); ++i)
      cells.push_back(cell_json(t.cells[row][i], notes, links));
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
          {"others", others},
          {"notes", notes},
          {"sources", t.sources},
          {"rows", rows},
          {"printed", count.printed},
          {"measured", count.measured}};
}

}  // namespace reprise::reports
