// SPDX-License-Identifier: MIT
// Fills the layouts of a paper's tables.
#include "reports/page/printed_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "reports/page/measured_lookup.hpp"
#include "reports/text/digits.hpp"
#include "reports/text/table.hpp"

namespace reprise::reports {
namespace {

using found = measured_lookup::found;

// The printed rows by key, with variants named without their family.
class printed_lookup {
 public:
  explicit printed_lookup(const printed_rows& paper) {
    for (std::size_t i = 0; i < paper.rows.size(); ++i) {
      const auto& r = paper.rows[i];
      rows_.try_emplace({r.experiment, std::string(short_name(r.variant)), r.device, r.precision, r.size,
                         sorted_parts(r.parameter), r.metric},
                        &r, paper.roundings[i]);
    }
  }
  // The row and half a unit of its last digit; null if the paper prints nothing there.
  std::pair<const row*, double> find(const row_key& key) const {
    const auto known = rows_.find(key);
    return known == rows_.end() ? std::pair<const row*, double>() : known->second;
  }

 private:
  std::map<row_key, std::pair<const row*, double>> rows_;
};

// The claims that a row decides, by its address.
using claims_of_rows = std::multimap<const row*, std::size_t>;

claims_of_rows claims_by_row(const assessment& judged) {
  claims_of_rows all;
  for (std::size_t i = 0; i < judged.judgements.size(); ++i) {
    const auto kind = judged.claims[i].kind;
    if (kind != claim_class::number && kind != claim_class::conclusion) continue;
    for (const auto* r : judged.judgements[i].rows) all.emplace(r, i);
  }
  return all;
}

struct sources {
  const measured_lookup& lookup;
  const assessment& judged;
  const claims_of_rows& claims;
};

row_key chosen(row_key selector, const printed_layout& layout, const table_view& view) {
  auto& variant = at(selector, key_field::variant);
  if (!layout.choice.empty() && variant == layout.choice) variant = view.variant;
  return selector;
}

// The selector of a divisor: of the same case as the numerator, except in what the layout makes different.
row_key divisor_of(const layout_cell& cell, const row& numerator) {
  const row_key actual{
      numerator.experiment, std::string(short_name(numerator.variant)), numerator.device, numerator.precision,
      numerator.size,       sorted_parts(numerator.parameter),          numerator.metric};
  auto selector = *cell.over;
  for (std::size_t i = 0; i < selector.size(); ++i)
    if (selector[i] == cell.measured[i] && static_cast<key_field>(i) != key_field::device)
      selector[i] = actual[i];
  return selector;
}

band band_of(double ratio, bool has_same_digits) {
  if (has_same_digits) return band::same;
  if (!(ratio > 0)) return std::isnan(ratio) ? band::none : band::far_below;
  const double distance = std::max(ratio, 1 / ratio);
  constexpr double near = 1.05, factor_of_two = 2, factor_of_ten = 10;
  if (distance <= near) return band::same;
  if (distance <= factor_of_two) return ratio < 1 ? band::near_below : band::near_above;
  if (distance <= factor_of_ten) return ratio < 1 ? band::below : band::above;
  return ratio < 1 ? band::far_below : band::far_above;
}

// Sets value and interval from the row, in the cell's unit. A unit that measures something else leaves no number.
void take(measured_number& number, const row& r, const std::string& unit) {
  const auto factor = unit_factor(r.unit, unit);
  if (!factor) {
    number.reason = fmt::format("is measured in {}", std::string_view(r.unit));
    return;
  }
  number.from = &r;
  number.value = r.value * *factor;
  number.low = r.q1 * *factor;
  number.high = r.q3 * *factor;
}

void divide(measured_number& number, const row& numerator, const row& divisor, const layout_cell& cell,
            const std::string& unit) {
  const auto same = unit_factor(numerator.unit, divisor.unit), share = unit_factor("1", unit);
  if (!same || !share) {
    number.reason = "its parts have different units";
    return;
  }
  number.from = &numerator;
  number.value = (numerator.value * *same / divisor.value - (cell.is_excess ? 1 : 0)) * *share;
  number.low = number.high = number.value;
}

void compare(measured_number& number, const printed_cell& printed, double half_unit) {
  if (printed.value != 0) number.ratio = number.value / printed.value;
  const bool has_same_digits = std::abs(number.value - printed.value) <= half_unit * (1 + 1e-9);
  number.distance = band_of(number.ratio, has_same_digits);
}

// A claim holds the cell if it rests on the measured row and states the printed number.
void add_verdict(measured_number& number, const row& published, const sources& from) {
  const auto [first, last] = from.claims.equal_range(number.from);
  for (auto claim = first; claim != last; ++claim) {
    const auto& c = from.judged.claims[claim->second];
    if (std::abs(c.published - published.value) > 1e-9 * std::abs(published.value) || std::isnan(c.published))
      continue;
    number.verdict = to_string(from.judged.judgements[claim->second].outcome);
    number.claim = c.id;
    return;
  }
}

measured_number measure(const layout_cell& cell, const printed_layout& layout, const table_view& view,
                        const printed_cell& printed, double half_unit, const sources& from) {
  measured_number number;
  if (number.reason = cell.reason; !number.reason.empty()) return number;
  const auto selector = chosen(cell.measured, layout, view);
  const auto* const r = from.lookup.nearest(selector, view.device);
  const auto* const divisor =
      r != nullptr && cell.over
          ? from.lookup.nearest(chosen(divisor_of(cell, *r->data), layout, view), r->device)
          : nullptr;
  if (r == nullptr || (cell.over && divisor == nullptr)) {
    number.reason = from.lookup.why_missing(r == nullptr ? selector : *cell.over);
    return number;
  }
  if (divisor == nullptr)
    take(number, *r->data, printed.unit);
  else
    divide(number, *r->data, *divisor->data, cell, printed.unit);
  if (number.from == nullptr) return number;
  compare(number, printed, half_unit);
  add_verdict(number, *printed.published, from);
  if (const auto word = cell.words.find(fmt::format("{}", number.value)); word != cell.words.end())
    number.text = word->second;
  return number;
}

// The devices, and variants in the place of the paper's, that a table can show; those of the paper first.
std::vector<table_view> possible_views(const printed_layout& layout, const measured_lookup& lookup,
                                       const variant_names& names) {
  std::map<std::tuple<bool, std::size_t, std::size_t, std::string>, table_view> ordered;
  for (const auto& line : layout.rows)
    for (const auto& cell : line.cells) {
      if (!cell.reason.empty()) continue;
      auto selector = cell.measured;
      auto& variant = at(selector, key_field::variant);
      if (!layout.choice.empty() && variant != layout.choice) continue;
      if (!layout.choice.empty()) variant = "*";
      for (const auto* r : lookup.matching(selector)) {
        const std::string name(layout.choice.empty() ? "" : short_name(r->data->variant));
        ordered.try_emplace({name != layout.choice, r->run_rank, r->device_rank, name + r->device},
                            table_view{r->device, name, name.empty() ? "" : names.of(r->data->variant)});
      }
    }
  std::vector<table_view> views;
  for (const auto& [place, view] : ordered)
    if (std::ranges::none_of(
            views, [&](const table_view& v) { return v.device == view.device && v.variant == view.variant; }))
      views.push_back(view);
  const auto id_of = [&](const std::string& variant) {
    return fmt::format("{}/{}", family_of(layout.id), variant);
  };
  if (views.empty())
    views.push_back({"", layout.choice, layout.choice.empty() ? "" : names.of(id_of(layout.choice))});
  return views;
}

std::vector<std::string> headings(const std::vector<std::string>& labels, const std::string& unit) {
  auto all = labels;
  all.back() = with_unit(all.back(), unit);
  return all;
}

// The unit of a column's cells if they share one; a column of facts has none.
std::string unit_of_column(const printed_table& table, std::size_t column) {
  std::set<std::string> units;
  for (const auto& line : table.cells)
    if (line[column] && line[column]->text.find_first_of("0123456789") != std::string::npos)
      units.insert(line[column]->unit);  // a word, such as "fail", has no unit
  return units.size() == 1 ? *units.begin() : std::string();
}

// Whether the heading of the column names the unit, so that its cells need not.
bool names_unit(const std::vector<std::string>& headings, const std::string& unit) {
  return unit.empty() || unit == "1" || headings.back().ends_with("(" + unit + ")");
}

// "×1.02", and "÷42.5" instead of a small fraction.
std::string ratio_text(double ratio) {
  constexpr double smallest = 0.1;
  return ratio < smallest ? "÷" + brief_text(1 / ratio) : "×" + brief_text(ratio);
}

void write_texts(printed_cell& cell, const std::vector<std::string>& headings) {
  const bool is_named = names_unit(headings, cell.unit);
  if (!is_named) cell.text += " " + cell.unit;
  for (auto& m : cell.numbers) {
    if (m.from == nullptr || !m.text.empty()) continue;
    m.text =
        cell.has_powers ? power_text(m.value, m.low, m.high) : brief_text(m.value, m.low, m.high, cell.unit);
    const bool has_unit = m.text.find(' ') != std::string::npos;
    if (!is_named && !has_unit) m.text += " " + cell.unit;
    if (m.ratio > 0) m.ratio_text = ratio_text(m.ratio);
  }
}

// Views that show the same rows as an earlier one are dropped.
void drop_equal_views(printed_table& table) {
  std::vector<std::size_t> kept;
  for (std::size_t v = 0; v < table.views.size(); ++v) {
    const auto equals = [&](std::size_t other) {
      return std::ranges::all_of(table.cells, [&](const auto& line) {
        return std::ranges::all_of(line, [&](const auto& cell) {
          return !cell || cell->numbers[v].from == cell->numbers[other].from;
        });
      });
    };
    if (std::ranges::none_of(kept, equals)) kept.push_back(v);
  }
  const auto keep = [&](auto& all) {
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i] != i) all[i] = std::move(all[kept[i]]);
    all.resize(kept.size());
  };
  keep(table.views);
  for (auto& line : table.cells)
    for (auto& cell : line)
      if (cell) keep(cell->numbers);
}

std::optional<printed_cell> make_cell(const layout_cell& cell, const printed_layout& layout,
                                      const std::vector<table_view>& views, const printed_lookup& paper,
                                      const sources& from) {
  const auto [published, half_unit] = paper.find(cell.published);
  if (published == nullptr) return std::nullopt;
  printed_cell result;
  result.published = published;
  result.unit = cell.unit;
  if (result.unit.empty()) result.unit = published->unit;
  const double factor = unit_factor(published->unit, result.unit).value_or(1);
  result.has_powers = cell.has_powers;
  result.value = published->value * factor;
  result.text = printed_text(result.value, half_unit * factor, cell.has_powers);
  if (const auto word = cell.words.find(fmt::format("{}", published->value)); word != cell.words.end())
    result.text = word->second;
  for (const auto& view : views)
    result.numbers.push_back(measure(cell, layout, view, result, half_unit * factor, from));
  return result;
}

}  // namespace

std::string_view to_string(band b) {
  switch (b) {
    case band::none:
      return "none";
    case band::same:
      return "same";
    case band::near_below:
      return "near-below";
    case band::below:
      return "below";
    case band::far_below:
      return "far-below";
    case band::near_above:
      return "near-above";
    case band::above:
      return "above";
    case band::far_above:
      break;
  }
  return "far-above";
}

std::string label_of(const table_view& view) {
  if (view.variant_name.empty()) return view.device;
  return view.device.empty() ? view.variant_name : view.variant_name + " on " + view.device;
}

std::vector<printed_table> make_printed_tables(std::span<const printed_layout> layouts,
                                               const printed_rows& paper, std::span<const shown_row> rows,
                                               std::span<const run> runs, const assessment& judged,
                                               const variant_names& names) {
  const measured_lookup lookup(layouts, rows, runs);
  const printed_lookup printed(paper);
  const auto claims = claims_by_row(judged);
  std::vector<printed_table> tables;
  for (const auto& layout : layouts) {
    auto& table = tables.emplace_back();
    std::tie(table.id, table.title, table.caption, table.note, table.stub) =
        std::tie(layout.id, layout.title, layout.caption, layout.note, layout.stub);
    table.views = possible_views(layout, lookup, names);
    for (const auto& line : layout.rows) {
      table.labels.push_back(line.labels);
      auto& cells = table.cells.emplace_back();
      for (const auto& cell : line.cells)
        cells.push_back(make_cell(cell, layout, table.views, printed, {lookup, judged, claims}));
    }
    drop_equal_views(table);
    for (std::size_t i = 0; i < layout.columns.size(); ++i)
      table.columns.push_back(headings(layout.columns[i], unit_of_column(table, i)));
    for (auto& line : table.cells)
      for (std::size_t i = 0; i < line.size(); ++i)
        if (line[i]) write_texts(*line[i], table.columns[i]);
  }
  return tables;
}

std::vector<std::string> reasons_of(const printed_table& table) {
  std::vector<std::string> reasons;
  for (const auto& line : table.cells)
    for (const auto& cell : line)
      for (const auto& m : cell ? cell->numbers : std::vector<measured_number>())
        if (m.from == nullptr && std::ranges::find(reasons, m.reason) == reasons.end())
          reasons.push_back(m.reason);
  return reasons;
}

std::string note_letter(const std::vector<std::string>& reasons, const std::string& reason) {
  constexpr std::ptrdiff_t letters = 26;
  const auto place = std::ranges::find(reasons, reason) - reasons.begin();
  const std::string last(1, static_cast<char>('a' + place % letters));
  return place < letters ? last : std::string(1, static_cast<char>('a' + place / letters - 1)) + last;
}

cell_count count_cells(std::span<const printed_table> tables) {
  cell_count count;
  for (const auto& table : tables)
    for (const auto& line : table.cells)
      for (const auto& cell : line) {
        if (!cell) continue;
        ++count.printed;
        if (cell->numbers.front().from != nullptr) ++count.measured;
      }
  return count;
}

}  // namespace reprise::reports
