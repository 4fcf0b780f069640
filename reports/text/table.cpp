// SPDX-License-Identifier: MIT
// Writes tables.
#include "reports/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/store/csv.hpp"
#include "reports/text/wrapped.hpp"

namespace reprise::reports {
namespace {

constexpr std::size_t widest_heading = 16;

using texts = std::vector<std::string>;
using escapes = std::map<char, std::string>;

std::string escaped(std::string_view text, const escapes& by) {
  std::string result;
  for (const char c : text) {
    const auto known = by.find(c);
    result += known == by.end() ? std::string(1, c) : known->second;
  }
  return result;
}

std::string for_csv(const cell& c, bool is_rounded) {
  if (!c.id.empty()) return csv::cell(c.id);
  if (is_rounded || std::isnan(c.value)) return csv::cell(to_text(c));
  return csv::field(csv::number(c.value) + (c.unit.empty() ? "" : " " + c.unit));
}

texts texts_of(const std::vector<cell>& cells) {
  texts all;
  for (const auto& c : cells) all.push_back(to_text(c));
  return all;
}

std::string joined(texts cells, const char* between, std::string (*escape)(std::string_view)) {
  for (auto& c : cells) c = escape(c);
  return fmt::format("{}", fmt::join(cells, between));
}

nlohmann::json to_json(const cell& c, const case_links& links) {
  if (!c.id.empty() && c.id != c.text) return {{"text", c.text}, {"id", c.id}};
  if (std::isnan(c.value)) return c.text;
  const auto page = links.find(c.from);
  if (c.unit.empty() && page == links.end()) return c.value;
  nlohmann::json object{{"value", c.value}};
  if (!c.unit.empty()) object["unit"] = c.unit;
  if (page != links.end()) object["page"] = page->second;
  return object;
}

}  // namespace

std::string for_markdown(std::string_view text) {
  static const escapes by{{'\\', "\\\\"}, {'|', "\\|"}, {'*', "\\*"},  {'`', "\\`"},
                          {'[', "\\["},   {']', "\\]"}, {'<', "&lt;"}, {'>', "&gt;"},
                          {'&', "&amp;"}, {'\n', " "},  {'\r', " "}};
  return escaped(text, by);
}

std::string number_text(double value) {
  if (std::isnan(value)) return no_number;
  // Counts are printed exactly, because a rounded count would look exact too.
  constexpr double readable = 1e9;
  const double size = std::abs(value);
  const bool in_full = size < readable && (value == std::round(value) || size >= 1e4);
  return in_full ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string number_text(double value, const std::string& unit) {
  return number_text(value) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

std::string to_text(const cell& c) {
  if (std::isnan(c.value)) return c.text;
  return number_text(c.value) + (c.unit.empty() ? "" : " " + c.unit);
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "1" ? name : name + " (" + unit + ")";
}

std::string to_text(const table& t) {
  std::vector<texts> header, lines;
  // Device names are long compared with the numbers below them.
  for (const auto& name : t.columns) header.push_back(filled(name, widest_heading, widest_heading));
  for (const auto& line : t.lines) lines.push_back(texts_of(line));
  std::size_t height = 0;
  std::vector<std::size_t> widths(t.columns.size());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    height = std::max(height, header[i].size());
    for (const auto& part : header[i]) widths[i] = std::max(widths[i], width(part));
    for (const auto& line : lines) widths[i] = std::max(widths[i], width(line[i]));
  }
  for (auto& parts : header) parts.resize(height);
  const auto line_of = [&](auto text_in) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const std::string& text = text_in(i);
      line += text + std::string(widths[i] - width(text) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
  };
  auto text = t.title + '\n';
  for (std::size_t row = 0; row < height; ++row) text += line_of([&](auto i) { return header[i][row]; });
  for (const auto& line : lines) text += line_of([&](auto i) { return line[i]; });
  return text;
}

std::string to_markdown(const table& t) {
  auto text = fmt::format("**{}**\n\n| {} |\n|", for_markdown(with_unit(t.title, t.unit)),
                          joined(t.columns, " | ", for_markdown));
  for (std::size_t i = 0; i < t.columns.size(); ++i) text += i < t.text_columns ? " --- |" : " ---: |";
  text += '\n';
  for (const auto& line : t.lines)
    text += fmt::format("| {} |\n", joined(texts_of(line), " | ", for_markdown));
  if (!t.note.empty()) text += fmt::format("\n{}\n", for_markdown(t.note));
  return text;
}

std::string to_csv(const table& t) {
  auto columns = t.columns;
  for (std::size_t i = t.text_columns; i < columns.size(); ++i) columns[i] = with_unit(columns[i], t.unit);
  auto text = joined(columns, ",", csv::cell) + '\n';
  for (const auto& line : t.lines) {
    texts fields;
    for (const auto& c : line) fields.push_back(for_csv(c, t.is_rounded));
    text += csv::line(fields);
  }
  return text;
}

nlohmann::json to_json(const table& t, const case_links& links) {
  auto lines = nlohmann::json::array();
  for (const auto& line : t.lines) {
    auto& cells = lines.emplace_back(nlohmann::json::array());
    for (const auto& c : line) cells.push_back(to_json(c, links));
  }
  return {{"id", t.id},     {"title", t.title},     {"note", t.note},
          {"unit", t.unit}, {"columns", t.columns}, {"lines", lines}};
}

}  // namespace reprise::reports
