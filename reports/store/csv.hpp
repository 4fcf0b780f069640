// SPDX-License-Identifier: MIT
// CSV by RFC 4180 with "\n" as line end, but without fields that span lines. Every record is one line, so a
// file cut off anywhere has complete records up to its last line end.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "solvers/common/base/error.hpp"

namespace reprise::reports::csv {

// Formats a field: quoted if necessary, with line breaks replaced by spaces.
std::string field(std::string_view text);

// Formats a field for a table opened in a spreadsheet: text that would be taken for a formula gets a leading
// apostrophe. Numbers are unchanged.
std::string cell(std::string_view text);

// The text that a cell shows, without quotes around it.
std::string without_formula(std::string_view text);

// The shortest text that reads back as the same number; empty for NaN.
std::string number(double value);

// Fields joined by commas, with a line end.
std::string line(const std::vector<std::string>& fields);

// A line of numbers and of texts that are formatted by field (to be read back) or by cell (for a spreadsheet).
template <class Part>
std::string formatted(std::string (*format)(std::string_view), const Part& part) {
  if constexpr (std::is_floating_point_v<Part>) {
    return number(part);
  } else if constexpr (std::is_integral_v<Part>) {
    return std::to_string(part);
  } else {
    return format(part);
  }
}
template <class... Parts>
std::string fields(const Parts&... parts) {
  return line({formatted(field, parts)...});
}
template <class... Parts>
std::string cells(const Parts&... parts) {
  return line({formatted(cell, parts)...});
}

// The place of a field, for messages.
struct place {
  std::filesystem::path file;
  unsigned line{};

  // "FILE, line N: what"
  template <class... Parts>
  bad_input complaint(fmt::format_string<Parts...> format, Parts&&... parts) const {
    const auto message = fmt::format(format, std::forward<Parts>(parts)...);
    return bad_input(fmt::format("{}, line {}: {}", file.string(), line, message));
  }
};

// Throws bad_input unless the whole text is a number. An empty text is NaN, or 0 as a count.
double to_number(std::string_view text, std::string_view column, const place& at);
int to_count(std::string_view text, std::string_view column, const place& at);
// The parts of a field between semicolons, without empty ones.
std::vector<std::string> to_list(std::string_view text);

template <std::size_t Columns>
struct record {
  unsigned line{};
  std::array<std::string, Columns> fields;  // in the order of the requested columns
};

// Parses a text whose first line names exactly these columns, in any order, and passes on each record. Throws
// bad_input with file and line. Instantiated in csv.cpp for the numbers of columns in use, so that only that file
// includes the parser's header.
template <std::size_t Columns>
void for_each(const std::filesystem::path& file, std::string_view text,
              const std::array<std::string_view, Columns>& columns,
              const std::function<void(const record<Columns>&)>& use);

// The same with all records at once.
template <std::size_t Columns>
std::vector<record<Columns>> parse(const std::filesystem::path& file, std::string_view text,
                                   const std::array<std::string_view, Columns>& columns);

}  // namespace reprise::reports::csv
