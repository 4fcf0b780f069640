// SPDX-License-Identifier: MIT
// The tables of a paper as the paper lays them out: reports/layouts/<word>.json. A cell names the published row that it
// holds, and the measured row that stands beside it or the reason why there is none.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reprise::reports {

// The fields of a row's key. As a selector of measured rows each may hold alternatives, the preferred one first:
// "256x256|24x24"; "*" is any text. Variants are named without their family.
enum class key_field { experiment, variant, device, precision, size, parameter, metric };
constexpr std::array<std::string_view, 7> key_names{"experiment", "variant",   "device", "precision",
                                                    "size",       "parameter", "metric"};
using row_key = std::array<std::string, key_names.size()>;

inline std::string& at(row_key& key, key_field field) {
  return key[static_cast<std::size_t>(field)];
}
inline const std::string& at(const row_key& key, key_field field) {
  return key[static_cast<std::size_t>(field)];
}

struct layout_cell {
  row_key published;
  row_key measured;             // its device is the beginning of an id, "cuda"; empty is any
  std::optional<row_key> over;  // the measured number is divided by this one
  bool is_excess{};             // one is subtracted from that quotient
  std::optional<row_key> also;  // the measured number was computed from this one too
  std::string measured_unit;    // of the measured number, where its row has the paper's name for it
  std::string fraction;         // "launch for {} steps" instead of a number below one
  std::string unit;             // of the printed cell; empty is the published row's
  bool has_powers{};            // 7.1e-3 instead of 0.0071
  std::string reason;           // why nothing measured can stand beside it
  std::map<std::string, std::string> words;  // what the paper prints instead of a number
};

struct layout_row {
  std::vector<std::string> labels;  // one for each column of the stub
  std::vector<layout_cell> cells;   // one for each column
};

struct printed_layout {
  std::string id, title, caption, note;  // "jacobi/table3"
  std::string choice;  // the paper's variant that a reader may replace by another one; empty if there is none
  std::vector<std::string> stub;                    // headings of the labels
  std::vector<std::vector<std::string>> columns{};  // each column's headings, the outermost first
  std::vector<layout_row> rows{};
};

// Throws bad_input if the file is not valid.
std::vector<printed_layout> read_printed_layouts(const std::filesystem::path& file);

// The parts of a parameter in alphabetical order, so that "a=1;b=2" and "b=2;a=1" are the same.
std::string sorted_parts(std::string_view parameter);

}  // namespace reprise::reports
