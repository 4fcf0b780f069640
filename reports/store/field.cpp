// SPDX-License-Identifier: MIT
// Writes and reads files of fields.
#include "reports/store/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>

#include "reports/store/csv.hpp"
#include "reports/store/files.hpp"
#include "reports/store/sha256.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 13> field_columns{
    "experiment", "variant", "device", "precision", "size", "parameter", "name",
    "nx",         "ny",      "x0",     "x1",        "y0",   "y1"};

std::string line_of(const field& f) {
  return csv_fields(f) + ',' + csv::fields(f.name, f.nx, f.ny, f.x0, f.x1, f.y0, f.y1);
}

std::size_t nodes_of(const field& f) {
  return static_cast<std::size_t>(f.nx) * static_cast<std::size_t>(f.ny);
}

bool has_extent(double from, double to, int nodes) {
  return std::isfinite(from) && std::isfinite(to) && (nodes == 1 ? from == to : from < to);
}

// The distance between kept nodes if at most `most` of n nodes are kept.
int stride_of(int n, int most) {
  const int cells = n - 1;
  const int least = std::max(1, (cells + most - 2) / (most - 1));
  for (int k = least; 2 * k < 3 * least; ++k) {
    if (cells % k == 0) return k;
  }
  return least;
}

// The end of a side if only every k-th of its n nodes is kept.
double end_of(double from, double to, int n, int k) {
  const int last = (n - 1) / k * k;
  return last == n - 1 ? to : from + (to - from) * last / (n - 1);
}

// Removes the next line from the text and returns it without its line end.
std::string_view take_line(std::string_view& text) {
  const auto end = text.find('\n');
  const auto line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

int nodes_in(const std::string& text, std::string_view column, int fewest, const csv::place& at) {
  const int n = csv::to_count(text, column, at);
  if (n < fewest || n > most_nodes)
    throw at.complaint("{} is {}, not between {} and {}; restore the file or run again", column, n, fewest,
                       most_nodes);
  return n;
}

field parse_head(const std::filesystem::path& file, std::string_view head) {
  const auto records = csv::parse(file, head, field_columns);
  const csv::place at{file, 2};
  if (records.size() != 1)
    throw at.complaint("does not say what the field is; restore the file or run again");
  const auto& from = records.front().fields;
  field f{case_in(from), from[case_columns]};
  f.nx = nodes_in(from[7], field_columns[7], 2, at);
  f.ny = nodes_in(from[8], field_columns[8], 1, at);
  std::size_t column = 9;
  for (double* const number : {&f.x0, &f.x1, &f.y0, &f.y1}) {
    *number = csv::to_number(from[column], field_columns[column], at);
    ++column;
  }
  if (!has_extent(f.x0, f.x1, f.nx) || !has_extent(f.y0, f.y1, f.ny))
    throw at.complaint("x0 to x1 and y0 to y1 are no extent; restore the file or run again");
  return f;
}

// Limits values to 1e300, because rounding the largest double to five digits would overflow.
bool is_usable(double value) {
  constexpr double largest = 1e300;
  return std::abs(value) < largest;
}

void parse_values(std::string_view line, const field& f, std::vector<double>& values, const csv::place& at) {
  const auto width = static_cast<std::ptrdiff_t>(f.nx);
  const auto count = std::ranges::count(line, ',') + 1;
  if (count != width)
    throw at.complaint("has {} values where nx is {}; restore the file or run again", count, width);
  for (std::ptrdiff_t i = 0; i < width; ++i) {
    const auto text = line.substr(0, line.find(','));
    line.remove_prefix(std::min(text.size() + 1, line.size()));
    double value = no_value;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || !is_usable(value))
      throw at.complaint("value {} is no finite number below 1e300; restore the file or run again", i + 1);
    values.push_back(value);
  }
}

}  // namespace

std::string flaw_of(const field& f) {
  if (f.nx < 2 || f.ny < 1) return fmt::format("it has {} by {} nodes, and needs two a side", f.nx, f.ny);
  if (f.values.size() != nodes_of(f)) {
    return fmt::format("it has {} values at {} by {} nodes", f.values.size(), f.nx, f.ny);
  }
  if (!has_extent(f.x0, f.x1, f.nx) || !has_extent(f.y0, f.y1, f.ny)) return "it has no extent";
  const auto odd = std::ranges::find_if_not(f.values, is_usable);
  if (odd != f.values.end()) return fmt::format("its value {} is {}", odd - f.values.begin(), *odd);
  return {};
}

array array_of(const field& f) {
  const auto nx = static_cast<std::size_t>(f.nx);
  if (f.ny == 1) return {{nx}, f.values};
  return {{static_cast<std::size_t>(f.ny), nx}, f.values};
}

field thinned(const field& f, int most) {
  if (f.ny == 1) most = std::max(most, most_nodes);
  const int kx = stride_of(f.nx, most);
  const int ky = stride_of(f.ny, most);
  field thin{f, f.name};
  thin.nx = (f.nx - 1) / kx + 1;
  thin.ny = (f.ny - 1) / ky + 1;
  thin.x0 = f.x0;
  thin.x1 = end_of(f.x0, f.x1, f.nx, kx);
  thin.y0 = f.y0;
  thin.y1 = end_of(f.y0, f.y1, f.ny, ky);
  thin.values.reserve(nodes_of(thin));
  for (int j = 0; j < thin.ny; ++j) {
    const auto line = static_cast<std::size_t>(j * ky) * static_cast<std::size_t>(f.nx);
    for (int i = 0; i < thin.nx; ++i)
      thin.values.push_back(f.values[line + static_cast<std::size_t>(i * kx)]);
  }
  return thin;
}

std::string file_name_of(const field& f) {
  // Two texts may have the same safe name, but their hashes differ. The total length
  // stays below safe_name's limit.
  constexpr std::size_t longest_readable = 70, hash_digits = 16;
  std::string readable;
  sha256 hash;
  const auto add = [&](std::string_view part) {
    if (!part.empty()) readable.append(readable.empty() ? "" : "_").append(part);
    hash.update(csv::field(part) + '\n');
  };
  for (const auto part : texts_of(f)) add(part);
  add(f.name);
  return safe_name(readable).substr(0, longest_readable) + "-" + hash.hex().substr(0, hash_digits) + ".csv";
}

std::string array_name_of(const field& f) {
  const auto name = file_name_of(f);
  return name.substr(0, name.rfind('.')) + ".npy";
}

std::string to_csv(const field& f) {
  if (const auto flaw = flaw_of(f); !flaw.empty()) {
    throw error(
        fmt::format("field {} of {} {} cannot be written: {}", f.name, f.experiment, f.variant, flaw));
  }
  auto text = csv::line({field_columns.begin(), field_columns.end()}) + line_of(f);
  for (auto from = f.values.begin(); from != f.values.end(); from += f.nx) {
    for (auto value = from; value != from + f.nx; ++value) {
      fmt::format_to(std::back_inserter(text), "{}{:.5g}", value == from ? "" : ",", *value);
    }
    text += '\n';
  }
  return text;
}

field parse_field(const std::filesystem::path& file, std::string_view text) {
  constexpr unsigned head_lines = 2;
  auto rest = text;
  for (unsigned i = 0; i < head_lines; ++i) take_line(rest);
  auto f = parse_head(file, text.substr(0, text.size() - rest.size()));
  f.values.reserve(nodes_of(f));
  for (int j = 0; j < f.ny; ++j) {
    const csv::place at{file, head_lines + 1 + static_cast<unsigned>(j)};
    if (rest.empty())
      throw at.complaint("is missing: {} lines of values where ny is {}; restore the file or run again", j,
                         f.ny);
    parse_values(take_line(rest), f, f.values, at);
  }
  if (!rest.empty())
    throw csv::place{file, head_lines + 1 + static_cast<unsigned>(f.ny)}.complaint(
        "is one more than ny, {}, says; restore the file or run again", f.ny);
  return f;
}

}  // namespace reprise::reports
