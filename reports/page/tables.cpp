// SPDX-License-Identifier: MIT
// Turns rows into a table: one line for each device and variant, with columns for sizes or metrics.
#include "reports/page/tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "reports/store/nearest_roof.hpp"

namespace reprise::reports {
namespace {

// What a column shows, and the unit that its cells need not repeat.
struct column {
  std::string metric, size, unit;

  bool has(const row& r) const {
    return (r.metric.empty() || r.metric == metric) && (size.empty() || r.size.empty() || r.size == size);
  }
};

std::vector<std::string> sizes_of(std::span<const shown_row> rows) {
  std::set<std::string> sizes;
  for (const auto& r : rows) sizes.insert(r.data->size);
  sizes.erase("");
  std::vector<std::string> sorted(sizes.begin(), sizes.end());
  std::ranges::sort(sorted, size_before);
  return sorted;
}

// The first number for a cell counts; it replaces a missing mark.
void put(cell& place, const shown_row& r, const column& c) {
  if (!std::isnan(place.value)) return;
  place.text = no_number;
  if (!has_value(r)) return;
  place = {"", r.data->value, r.data->unit == c.unit ? "" : r.data->unit, r.data};
  if (r.data->metric != binding_metric) return;
  nearest_roof nearest;
  nearest.see(*r.data);
  place.unit = nearest.name;
}

}  // namespace

table make_table(const layout& shape, std::span<const shown_row> all_rows) {
  const auto rows = rows_of(shape, all_rows);
  const auto differ = distinctions_between(rows);
  const bool has_sizes_across = shape.metrics.size() == 1;
  table t{.id = shape.id, .title = shape.title, .note = shape.note};
  t.columns = {"source", "device", "variant"};
  constexpr std::size_t variant_column = 2;
  if (differ.precision) t.columns.emplace_back("precision");
  if (differ.parameter) t.columns.emplace_back("parameter");
  if (differ.size && !has_sizes_across) t.columns.emplace_back("size");
  t.text_columns = t.columns.size();

  std::vector<column> columns;
  for (const auto& metric : shape.metrics) {
    const auto unit = unit_of(metric, rows);
    if (!has_sizes_across) {
      columns.push_back({metric, "", unit});
      t.columns.push_back(with_unit(metric, unit));
      continue;
    }
    t.unit = unit;
    for (const auto& size : sizes_of(rows)) {
      columns.push_back({metric, size, unit});
      t.columns.push_back(size);
    }
  }

  std::map<std::tuple<bool, std::size_t, std::string, std::vector<std::string>>, std::size_t> known;
  for (const auto& r : rows) {
    std::vector<std::string> head{std::string(r.source()), r.device, r.variant};
    if (differ.precision) head.push_back(r.data->precision);
    if (differ.parameter) head.push_back(r.data->parameter);
    if (differ.size && !has_sizes_across) head.push_back(r.data->size);
    const auto [at, is_new] =
        known.try_emplace({!r.published, r.run_rank, r.data->device, head}, t.lines.size());
    if (is_new) {
      auto& line = t.lines.emplace_back();
      for (const auto& text : head) line.push_back({text});
      line[variant_column].id = short_name(r.data->variant);
      line.resize(t.columns.size());
    }
    auto* const cells = &t.lines[at->second][t.text_columns];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].has(*r.data)) put(cells[i], r, columns[i]);
    }
  }
  return t;
}

}  // namespace reprise::reports
