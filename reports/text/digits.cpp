// SPDX-License-Identifier: MIT
// Chooses digits, units and powers of ten.
#include "reports/text/digits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

namespace reprise::reports {
namespace {

constexpr int most_digits = 3;
constexpr int fewest_digits = 2;

struct measure {
  std::string_view of;
  double size;
};

// Units by what they measure. Bytes and rates have decimal prefixes; a unit of its own converts to nothing else.
const std::map<std::string_view, measure> units{{"s", {"time", 1}},          {"ms", {"time", 1e-3}},
                                                {"us", {"time", 1e-6}},      {"ns", {"time", 1e-9}},
                                                {"1", {"ratio", 1}},         {"", {"ratio", 1}},
                                                {"%", {"ratio", 1e-2}},      {"B", {"bytes", 1}},
                                                {"KB", {"bytes", 1e3}},      {"MB", {"bytes", 1e6}},
                                                {"GB", {"bytes", 1e9}},      {"MiB", {"bytes", 1048576}},
                                                {"MB/s", {"rate", 1e6}},     {"GB/s", {"rate", 1e9}},
                                                {"TB/s", {"rate", 1e12}},    {"GiB/s", {"rate", 1073741824}},
                                                {"MFLOP/s", {"flops", 1e6}}, {"GFLOP/s", {"flops", 1e9}},
                                                {"TFLOP/s", {"flops", 1e12}}};

// The units that a measured number may be shown in, the smallest first.
const std::map<std::string_view, std::array<std::string_view, 4>> scales{
    {"time", {"ns", "us", "ms", "s"}},
    {"bytes", {"B", "KB", "MB", "GB"}},
    {"rate", {"MB/s", "GB/s", "TB/s", ""}},
    {"flops", {"MFLOP/s", "GFLOP/s", "TFLOP/s", ""}}};

int exponent_of(double value) {
  return value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
}

// The number of significant digits that an interval allows.
int digits_within(double value, double low, double high) {
  const double half = (high - low) / 2;
  if (!(half > 0) || value == 0) return most_digits;
  return std::clamp(exponent_of(value) - exponent_of(half) + 1, fewest_digits, most_digits);
}

std::string with_digits(double value, int digits) {
  const auto rounded = fmt::format("{:.{}e}", value, digits - 1);
  const auto place = rounded.find('e');
  int exponent = 0;
  const auto* const begin = rounded.data() + place + (rounded[place + 1] == '+' ? 2 : 1);
  std::from_chars(begin, rounded.data() + rounded.size(), exponent);
  if (exponent < -3 || exponent > 5) return fmt::format("{}e{}", rounded.substr(0, place), exponent);
  return fmt::format("{:.{}f}", std::stod(rounded), std::max(0, digits - 1 - exponent));
}

bool is_count(double value) {
  return value == std::round(value) && std::abs(value) < 1e6;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Replaces each power "7.1e-3" in the text; `power` makes "·10⁻³" of "-3", or "10⁻³" where the mantissa is one.
template <class Power>
std::string replace_powers(std::string_view text, Power power) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool follows_digit = i > 0 && is_digit(text[i - 1]);
    std::size_t end = i + 1;
    if (text[i] == 'e' && end < text.size() && text[end] == '-') ++end;
    const auto first = end;
    while (text[i] == 'e' && end < text.size() && is_digit(text[end])) ++end;
    if (!follows_digit || end == first) {
      result += text[i];
      continue;
    }
    const bool is_bare =
        result.ends_with('1') &&
        (result.size() == 1 || !(is_digit(result[result.size() - 2]) || result[result.size() - 2] == '.'));
    if (is_bare) result.pop_back();
    result += power(text.substr(i + 1, end - i - 1), is_bare);
    i = end - 1;
  }
  return result;
}

// The unit itself for numbers in this range, and else the largest one of which the number is at least one.
std::string_view unit_within(double value, std::string_view unit, double smallest, double largest) {
  const auto known = units.find(unit);
  const double size = std::abs(value);
  if (known == units.end() || !scales.contains(known->second.of) || value == 0 || std::isnan(value) ||
      (size >= smallest && size < largest))
    return unit;
  const auto* best = &*known;
  for (const auto name : scales.at(known->second.of)) {
    if (name.empty()) continue;
    const auto& other = *units.find(name);
    if (size * known->second.size >= other.second.size || best->second.size > size * known->second.size)
      best = &other;
    if (size * known->second.size < 1000 * other.second.size) break;
  }
  return best->first;
}

std::string raised(std::string_view digits) {
  static constexpr std::array<std::string_view, 10> superscripts{"⁰", "¹", "²", "³", "⁴",
                                                                 "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : digits)
    text += c == '-' ? std::string_view("⁻") : superscripts.at(static_cast<std::size_t>(c - '0'));
  return text;
}

}  // namespace

std::string printed_text(double value, double half_unit, bool has_powers) {
  if (!(half_unit > 0))
    return is_count(value) || std::abs(value) >= 1 ? fmt::format("{:.0f}", value)
                                                   : fmt::format("{:g}", value);
  const int last =
      static_cast<int>(std::lround(std::log10(2 * half_unit)));  // the exponent of the last digit
  const int first = exponent_of(value);
  const bool is_long = last > 0 || first < -4;
  if (value != 0 && (is_long || (has_powers && first < 0)))
    return fmt::format("{:.{}f}e{}", value * std::pow(10.0, -first), std::max(0, first - last), first);
  return fmt::format("{:.{}f}", value, std::max(0, -last));
}

std::string brief_text(double value, double low, double high) {
  if (is_count(value) && !(high > low)) return fmt::format("{:.0f}", value);
  return with_digits(value, digits_within(value, low, high));
}

std::string brief_text(double value) {
  return with_digits(value, most_digits);
}

std::string power_text(double value, double low, double high) {
  if (value == 0 || std::abs(value) >= 1) return brief_text(value, low, high);
  const auto text = fmt::format("{:.{}e}", value, digits_within(value, low, high) - 1);
  const auto place = text.find('e');
  return fmt::format("{}e{}", text.substr(0, place), std::stoi(text.substr(place + 1)));
}

std::string brief_text(double value, double low, double high, std::string_view unit_of_column) {
  constexpr double smallest = 0.1, largest = 9999;
  const auto unit = unit_within(value, unit_of_column, smallest, largest);
  const double factor = unit_factor(unit_of_column, unit).value_or(1);
  const auto number = brief_text(value * factor, low * factor, high * factor);
  return unit == unit_of_column ? number : fmt::format("{} {}", number, printed_unit(unit));
}

std::string_view readable_unit(double typical, std::string_view unit_of_column) {
  constexpr double smallest = 1e-3, largest = 1e6;
  return unit_within(typical, unit_of_column, smallest, largest);
}

std::string_view printed_unit(std::string_view unit) {
  return unit == "us" ? "µs" : unit;
}

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return seconds < 999.5 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::optional<double> unit_factor(std::string_view from, std::string_view to) {
  if (from == to) return 1;
  const auto a = units.find(from), b = units.find(to);
  if (a == units.end() || b == units.end() || a->second.of != b->second.of) return std::nullopt;
  return a->second.size / b->second.size;
}

std::string with_superscripts(std::string_view text) {
  return replace_powers(text, [](std::string_view exponent, bool is_bare) {
    return fmt::format("{}10{}", is_bare ? "" : "·", raised(exponent));
  });
}

std::string with_latex_powers(std::string_view text) {
  return replace_powers(text, [](std::string_view exponent, bool is_bare) {
    return fmt::format("${}10^{{{}}}$", is_bare ? "" : "\\cdot", exponent);
  });
}

}  // namespace reprise::reports
