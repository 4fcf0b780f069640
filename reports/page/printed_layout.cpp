// SPDX-License-Identifier: MIT
// Reads layouts. A cell's key is what the table, its column and its row say together; the later one counts, except that
// parameters of columns and rows are joined.
#include "reports/page/printed_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "reports/store/files.hpp"
#include "reports/store/json.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

using nlohmann::json;

const std::set<std::string> keys_of_table{"id",   "title",  "caption", "note", "choice",
                                          "stub", "common", "columns", "rows"};
const std::set<std::string> keys_of_part{"label", "measured", "reason",   "unit",
                                         "style", "words",    "fraction", "instead"};

bool is_key(const std::string& name) {
  return std::ranges::find(key_names, name) != key_names.end();
}

void require_known(const json& object, const std::set<std::string>& known) {
  if (!object.is_object()) throw bad_input("has a part that is not an object");
  for (const auto& [name, value] : object.items())
    if (!known.contains(name) && !is_key(name)) throw bad_input(fmt::format("has an unknown key {}", name));
}

// Replaces the fields that the object names.
void overlay(row_key& key, const json& object) {
  for (std::size_t i = 0; i < key_names.size(); ++i)
    if (const auto found = object.find(key_names[i]); found != object.end())
      key[i] = found->get<std::string>();
}

// The same for a published key, whose parameter is that of the column and the row together.
void join(row_key& key, const json& object) {
  const auto before = at(key, key_field::parameter);
  overlay(key, object);
  auto& after = at(key, key_field::parameter);
  if (object.contains("parameter") && !before.empty() && !after.empty()) after = before + ";" + after;
}

std::vector<std::string> texts(const json& value) {
  return value.is_string() ? std::vector{value.get<std::string>()} : value.get<std::vector<std::string>>();
}

// The keys whose rows a measured number is computed from.
struct read_operands {
  json over, also;
};

void read_measured(layout_cell& cell, const json& measured, read_operands& operands) {
  auto known = keys_of_part;
  known.insert({"over", "also", "excess", "in"});
  require_known(measured, known);
  overlay(cell.measured, measured);
  operands.over = measured.value("over", operands.over);
  operands.also = measured.value("also", operands.also);
  if (const auto found = measured.find("excess"); found != measured.end())
    cell.is_excess = found->get<bool>();
  cell.measured_unit = measured.value("in", cell.measured_unit);
}

layout_cell read_cell(const std::string& table, const std::vector<json>& parts) {
  layout_cell cell;
  at(cell.published, key_field::experiment) = table;
  for (const auto& part : parts) join(cell.published, part);
  cell.measured = cell.published;
  at(cell.measured, key_field::device).clear();
  read_operands operands;
  for (const auto& part : parts) {
    if (const auto found = part.find("measured"); found != part.end()) read_measured(cell, *found, operands);
    cell.reason = part.value("reason", cell.reason);
    cell.unit = part.value("unit", cell.unit);
    if (const auto found = part.find("style"); found != part.end()) cell.has_powers = *found == "power";
    cell.words = part.value("words", cell.words);
    cell.fraction = part.value("fraction", cell.fraction);
  }
  const auto operand = [&](const json& fields) {
    if (fields.is_null()) return std::optional<row_key>();
    auto key = cell.measured;
    overlay(key, fields);
    return std::optional(key);
  };
  cell.over = operand(operands.over);
  cell.also = operand(operands.also);
  at(cell.published, key_field::parameter) = sorted_parts(at(cell.published, key_field::parameter));
  return cell;
}

layout_row read_row(const std::string& table, const json& common, const json& columns, const json& row) {
  require_known(row, keys_of_part);
  layout_row result{texts(row.at("label")), {}};
  for (const auto& column : columns) {
    std::vector<json> parts{common, column, row};
    const auto label = texts(column.at("label")).back();
    if (row.contains("instead") && row["instead"].contains(label)) parts.push_back(row["instead"][label]);
    result.cells.push_back(read_cell(table, parts));
  }
  return result;
}

printed_layout read_table(const json& table) {
  require_known(table, keys_of_table);
  printed_layout result{.id = table.at("id"),
                        .title = table.at("title"),
                        .caption = table.at("caption"),
                        .note = table.value("note", ""),
                        .choice = table.value("choice", ""),
                        .stub = texts(table.at("stub"))};
  const auto common = table.value("common", json::object());
  require_known(common, keys_of_part);
  for (const auto& column : table.at("columns")) {
    require_known(column, keys_of_part);
    result.columns.push_back(texts(column.at("label")));
  }
  for (const auto& row : table.at("rows")) {
    result.rows.push_back(read_row(result.id, common, table["columns"], row));
    if (result.rows.back().labels.size() != result.stub.size())
      throw bad_input(fmt::format("has a row {} with another number of labels than the stub",
                                  result.rows.back().labels.front()));
  }
  return result;
}

}  // namespace

std::string sorted_parts(std::string_view parameter) {
  std::vector<std::string_view> parts;
  while (!parameter.empty()) {
    const auto end = std::min(parameter.find(';'), parameter.size());
    parts.push_back(parameter.substr(0, end));
    parameter.remove_prefix(std::min(end + 1, parameter.size()));
  }
  std::ranges::sort(parts);
  return fmt::format("{}", fmt::join(parts, ";"));
}

std::vector<printed_layout> read_printed_layouts(const std::filesystem::path& file) {
  const auto document = parse_json(file, read_text(file));
  std::vector<printed_layout> layouts;
  try {
    for (const auto& table : document.at("tables")) layouts.push_back(read_table(table));
  } catch (const json::exception& e) {
    throw bad_input(fmt::format("{}: is not a layout: {}", file.string(), e.what()));
  } catch (const bad_input& e) {
    throw bad_input(fmt::format("{}: {}", file.string(), e.what()));
  }
  return layouts;
}

}  // namespace reprise::reports
