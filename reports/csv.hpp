// SPDX-License-Identifier: MIT
// CSV by RFC 4180 with "\n" as the line's end, but without fields that span lines: a line is a record, so
// that a file cut off anywhere has whole records up to its last line's end.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/common/error.hpp"

namespace reprise::reports::csv {

// A field as it is written: quoted where it must be, a line break within it becomes a space.
std::string field(std::string_view text);

// The same for a table that people open in a spreadsheet, which would take what begins like a formula for
// one. A number stays a number.
std::string cell(std::string_view text);

// The shortest text that reads back as the same number; empty for a NaN.
std::string number(double value);

// Fields joined by commas, with the line's end.
std::string line(const std::vector<std::string>& fields);

// Where a field stands, for messages.
struct place {
  std::filesystem::path file;
  unsigned line{};

  bad_input complaint(std::string_view what) const;  // "FILE, line N: what"
};

// Throws bad_input where the text is not a number from end to end. An empty text is a NaN.
double to_number(std::string_view text, std::string_view column, const place& at);
int to_count(std::string_view text, std::string_view column, const place& at);

template <std::size_t Columns>
struct record {
  unsigned line{};
  std::array<std::string, Columns> fields;  // in the order of the columns asked for
};

// Records of a text whose first line names exactly these columns, in any order. Throws bad_input with file
// and line. Instantiated in csv.cpp for the numbers of columns in use, so that the parser's header stays
// there.
template <std::size_t Columns>
std::vector<record<Columns>> parse(const std::filesystem::path& file, std::string_view text,
                                   const std::array<std::string_view, Columns>& columns);

}  // namespace reprise::reports::csv
