// SPDX-License-Identifier: MIT
// A table of texts and numbers, written as text, Markdown, CSV, LaTeX and JSON. Text from files is data: it is
// escaped for the target language.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::reports {

constexpr auto no_number = "–";

// Escapes text from files for Markdown; line breaks become spaces.
std::string for_markdown(std::string_view text);

struct cell {
  std::string text{};  // of a cell without a number
  double value{no_value};
  std::string unit{};  // written behind the number
  const row* from{};   // the row that the number comes from
  std::string id{};    // of what the text names, which the CSV has in its place; empty if it is no name
};

struct table {
  std::string id{}, title{}, note{};
  std::string unit{};  // of all numbers; empty if each column has its own
  std::vector<std::string> columns{};
  std::size_t text_columns{};  // the first columns, which are aligned left; the others are aligned right
  bool is_rounded{};           // the CSV has rounded numbers too
  std::vector<std::vector<cell>> lines{};
};

// Four significant digits, counts in full, "–" for NaN.
std::string number_text(double value);
// "12.8 ms". A ratio, whose unit is 1, gets no unit.
std::string number_text(double value, const std::string& unit);
std::string to_text(const cell& c);

// "time_1000_sweeps (s)". A ratio, whose unit is 1, gets no unit.
std::string with_unit(const std::string& name, const std::string& unit);

// For a terminal, with wrapped headings.
std::string to_text(const table& t);
std::string to_markdown(const table& t);
std::string to_csv(const table& t);

// The path of each row's case page, relative to the report's folder.
using case_links = std::map<const row*, std::string>;

// A cell is a text, a number, or an object with "value" and, if there are any, "unit" and "page".
nlohmann::json to_json(const table& t, const case_links& links = {});

}  // namespace reprise::reports
