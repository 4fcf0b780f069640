// SPDX-License-Identifier: MIT
// Writes CSV, and reads it with fast-cpp-csv-parser.
#include "reports/store/csv.hpp"

#define CSV_IO_NO_THREAD
#include <fmt/format.h>
#include <libfccp/csv.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "reports/store/refusal.hpp"

namespace reprise::reports::csv {
namespace {

// Empty unless the whole text is a number.
template <class Number>
std::optional<Number> parsed(std::string_view text) {
  Number value{};
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string field(std::string_view text) {
  std::string plain(text);
  const auto breaks_line = [](char c) { return c == '\n' || c == '\r' || c == '\0'; };
  std::ranges::replace_if(plain, breaks_line, ' ');
  // The reader trims blanks at the ends of unquoted fields.
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const bool has_blank_end = !plain.empty() && (is_blank(plain.front()) || is_blank(plain.back()));
  if (!has_blank_end && plain.find_first_of(",\"") == std::string::npos) return plain;

  std::string quoted = "\"";
  for (const char c : plain) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string without_formula(std::string_view text) {
  constexpr std::string_view begins_a_formula = "=+-@\t\r\n";
  const bool is_formula =
      !text.empty() && begins_a_formula.find(text.front()) != std::string_view::npos && !parsed<double>(text);
  return (is_formula ? "'" : "") + std::string(text);
}

std::string cell(std::string_view text) {
  return field(without_formula(text));
}

std::string number(double value) {
  return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

std::string line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

namespace {

template <class Number>
Number converted(std::string_view text, std::string_view column, const place& at) {
  if (const auto value = parsed<Number>(text)) return *value;
  throw at.complaint("\"{}\" in column {} is not a number; correct it or restore the file", text, column);
}

}  // namespace

double to_number(std::string_view text, std::string_view column, const place& at) {
  return text.empty() ? std::numeric_limits<double>::quiet_NaN() : converted<double>(text, column, at);
}

int to_count(std::string_view text, std::string_view column, const place& at) {
  return text.empty() ? 0 : converted<int>(text, column, at);
}

std::vector<std::string> to_list(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size());
    if (end > 0) parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

template <std::size_t Columns>
void for_each(const std::filesystem::path& file, std::string_view text,
              const std::array<std::string_view, Columns>& columns,
              const std::function<void(const record<Columns>&)>& use) {
  if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
    const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zero), '\n') + 1;
    throw place{file, static_cast<unsigned>(line)}.complaint(
        "holds a zero byte, so it is not text; restore the file");
  }
  // The parser reads one byte past a last line without a line end.
  std::string ended;
  if (!text.empty() && text.back() != '\n') text = ended = std::string(text) + '\n';

  try {
    io::CSVReader<Columns, io::trim_chars<' ', '\t'>, io::double_quote_escape<',', '"'>> reader(
        file.filename().string(), text.data(), text.data() + text.size());
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      reader.read_header(io::ignore_no_column, std::string(columns[I])...);
      record<Columns> next;
      while (reader.read_row(next.fields[I]...)) {
        next.line = reader.get_file_line();
        use(next);
      }
    }
    (std::make_index_sequence<Columns>());
  } catch (const io::error::base& problem) {
    refuse_file(file, "{} Correct the line or restore the file", problem.what());
  }
}

template <std::size_t Columns>
std::vector<record<Columns>> parse(const std::filesystem::path& file, std::string_view text,
                                   const std::array<std::string_view, Columns>& columns) {
  std::vector<record<Columns>> records;
  for_each<Columns>(file, text, columns, [&](const record<Columns>& next) { records.push_back(next); });
  return records;
}

template void for_each(const std::filesystem::path&, std::string_view, const std::array<std::string_view, 7>&,
                       const std::function<void(const record<7>&)>&);
template void for_each(const std::filesystem::path&, std::string_view,
                       const std::array<std::string_view, 10>&,
                       const std::function<void(const record<10>&)>&);
template void for_each(const std::filesystem::path&, std::string_view,
                       const std::array<std::string_view, 15>&,
                       const std::function<void(const record<15>&)>&);
template std::vector<record<2>> parse(const std::filesystem::path&, std::string_view,
                                      const std::array<std::string_view, 2>&);
template std::vector<record<3>> parse(const std::filesystem::path&, std::string_view,
                                      const std::array<std::string_view, 3>&);
template std::vector<record<4>> parse(const std::filesystem::path&, std::string_view,
                                      const std::array<std::string_view, 4>&);
template std::vector<record<5>> parse(const std::filesystem::path&, std::string_view,
                                      const std::array<std::string_view, 5>&);
template std::vector<record<6>> parse(const std::filesystem::path&, std::string_view,
                                      const std::array<std::string_view, 6>&);
template std::vector<record<9>> parse(const std::filesystem::path&, std::string_view,
                                      const std::array<std::string_view, 9>&);
template std::vector<record<10>> parse(const std::filesystem::path&, std::string_view,
                                       const std::array<std::string_view, 10>&);
template std::vector<record<13>> parse(const std::filesystem::path&, std::string_view,
                                       const std::array<std::string_view, 13>&);
template std::vector<record<15>> parse(const std::filesystem::path&, std::string_view,
                                       const std::array<std::string_view, 15>&);

}  // namespace reprise::reports::csv
