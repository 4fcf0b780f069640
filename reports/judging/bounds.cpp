// SPDX-License-Identifier: MIT
// Reads the table of bounds.
#include "reports/judging/bounds.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/store/named_records.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 4> unit_names{"value", "times", "plus", "digits"};

bound_unit to_unit(const std::string& text, const csv::place& at) {
  const auto found = std::ranges::find(unit_names, text);
  if (found == unit_names.end())
    throw at.complaint("the bound counts \"{}\", which is none of {}", text, fmt::join(unit_names, ", "));
  return static_cast<bound_unit>(found - unit_names.begin());
}

range to_range(std::string_view text, const csv::place& at) {
  if (text.empty()) throw at.complaint("the bound has no range, like >1, <=1.05 or 1.2..3");
  range r;
  if (const auto dots = text.find(".."); dots != std::string_view::npos) {
    r.low = csv::to_number(text.substr(0, dots), "range", at);
    r.high = csv::to_number(text.substr(dots + 2), "range", at);
    if (!(r.low <= r.high)) throw at.complaint("the range is not from low to high, like 1.2..3");
    return r;
  }
  const bool is_lower = text.front() == '>';
  if (!is_lower && text.front() != '<') throw at.complaint("the range is none of >1, <=1.05, 1.2..3");
  const bool excludes = text.size() < 2 || text[1] != '=';
  (is_lower ? r.low : r.high) = csv::to_number(text.substr(excludes ? 1 : 2), "range", at);
  (is_lower ? r.excludes_low : r.excludes_high) = excludes;
  if (std::isnan(r.low) || std::isnan(r.high)) throw at.complaint("the range has no number, like >1");
  return r;
}

bound to_bound(const csv::record<bound_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  return {f[0], to_unit(f[1], at), to_range(f[2], at), f[3], f[4], at};
}

}  // namespace

bool range::contains(double value) const {
  // Accepts values at the very edge, even if a subtraction rounds outwards.
  const auto slack = [](double edge) { return 1e-9 * std::abs(edge); };
  return (excludes_low ? value > low : value >= low - (std::isinf(low) ? 0 : slack(low))) &&
         (excludes_high ? value < high : value <= high + (std::isinf(high) ? 0 : slack(high)));
}

range bound::around(double published, double half_digit) const {
  range r = allowed;
  const auto move = [&](double (*change)(double, double), double by) {
    r.low = change(allowed.low, by);
    r.high = change(allowed.high, by);
  };
  const auto sum = [](double end, double by) { return end + by; };
  const auto product = [](double end, double by) { return end * by; };
  if (of == bound_unit::plus) move(sum, published);
  if (of == bound_unit::times) move(product, published);
  if (of == bound_unit::digits) {
    r.low = published + allowed.low * 2 * half_digit;
    r.high = published + allowed.high * 2 * half_digit;
  }
  if (r.low > r.high) {
    std::swap(r.low, r.high);
    std::swap(r.excludes_low, r.excludes_high);
  }
  return r;
}

bounds read_bounds(const std::filesystem::path& file) {
  bounds all;
  for (auto& b : read_named(file, bound_columns, to_bound)) all.emplace(b.id, std::move(b));
  return all;
}

}  // namespace reprise::reports
