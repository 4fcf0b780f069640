// SPDX-License-Identifier: MIT
// Selects and orders the rows of a table or figure.
#include "reports/pivot.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <tuple>

#include "reports/devices.hpp"

namespace reprise::reports {
namespace {

std::vector<double> numbers_in(const std::string& text) {
  constexpr auto digits = "0123456789";
  std::vector<double> numbers;
  for (auto at = text.find_first_of(digits); at != std::string::npos; at = text.find_first_of(digits, at)) {
    double number = 0;
    const auto end = std::from_chars(text.data() + at, text.data() + text.size(), number).ptr;
    numbers.push_back(number);
    at = static_cast<std::size_t>(end - text.data());
  }
  return numbers;
}

}  // namespace

std::vector<shown_row> shown_rows(std::span<const row> published, std::span<const run> runs) {
  std::vector<shown_row> rows;
  for (const auto& r : published) rows.push_back({&r, true, r.device, 0, 0});
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto suffix = runs.size() > 1 ? " (" + name_of(runs[i]) + ")" : std::string();
    const auto first = rows.size();
    for (const auto& r : runs[i].rows) {
      const auto device = r.device.empty() ? std::string() : device_label(runs[i], r.device) + suffix;
      rows.push_back({&r, false, device, i, device_rank(runs[i], r.device)});
    }
    std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
                     [](const shown_row& a, const shown_row& b) { return a.device_rank < b.device_rank; });
  }
  return rows;
}

bool has_value(const shown_row& r) {
  return (r.data->status == "ok" || r.data->status == "published") && std::isfinite(r.data->value);
}

std::vector<shown_row> rows_of(const layout& shape, std::span<const shown_row> rows) {
  std::vector<shown_row> chosen;
  for (const auto& r : rows) {
    const bool is_asked_for =
        std::find(shape.metrics.begin(), shape.metrics.end(), r.data->metric) != shape.metrics.end();
    const bool is_own = r.data->experiment == shape.id || (r.published && !shape.published_in.empty() &&
                                                           r.data->experiment == shape.published_in);
    if (is_own && (is_asked_for || (r.data->metric.empty() && !has_value(r)))) {
      chosen.push_back(r);
    }
  }
  return chosen;
}

distinctions distinctions_between(std::span<const shown_row> rows) {
  std::set<std::string> precisions, parameters, sizes;
  std::array<std::set<std::string>, 2> parameters_of_source;
  for (const auto& r : rows) {
    precisions.insert(r.data->precision);
    parameters.insert(r.data->parameter);
    sizes.insert(r.data->size);
    if (has_value(r)) parameters_of_source[r.published ? 1 : 0].insert(r.data->parameter);
  }
  // A row that does not say is not different from one that does ...
  const auto differ = [](std::set<std::string>& values) {
    values.erase("");
    return values.size() > 1;
  };
  // ... except that a number with a parameter must not stand for one without beside it.
  const bool some_lack_it = parameters_of_source[0].size() > 1 || parameters_of_source[1].size() > 1;
  return {differ(precisions), differ(parameters) || some_lack_it, differ(sizes)};
}

bool size_before(const std::string& a, const std::string& b) {
  const auto left = numbers_in(a);
  const auto right = numbers_in(b);
  return std::tie(left, a) < std::tie(right, b);
}

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() || unit == "1" ? name : name + " (" + unit + ")";
}

std::string unit_of(const std::string& metric, std::span<const shown_row> rows) {
  for (const auto& r : rows) {
    if (r.data->metric == metric && has_value(r) && !r.data->unit.empty()) return r.data->unit;
  }
  return {};
}

}  // namespace reprise::reports
