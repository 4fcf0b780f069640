// SPDX-License-Identifier: MIT
// Measures the cells of printed tables.
#include "reports/page/measured_cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/page/reserves.hpp"
#include "reports/text/digits.hpp"

namespace reprise::reports {
namespace {

row_key chosen(row_key selector, const printed_layout& layout, const table_view& view) {
  auto& variant = at(selector, key_field::variant);
  if (!layout.choice.empty() && variant == layout.choice) variant = view.variant;
  return selector;
}

// The selector of another operand: of the same case as the number, except in what the layout makes different.
row_key operand_of(const layout_cell& cell, row_key selector, const row& number) {
  const row_key actual{
      number.experiment, std::string(short_name(number.variant)), number.device, number.precision,
      number.size,       sorted_parts(number.parameter),          number.metric};
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

void compare(measured_number& number, const print_of_cell& printed) {
  if (printed.value != 0) number.ratio = number.value / printed.value;
  const bool has_same_digits = std::abs(number.value - printed.value) <= printed.half_unit * (1 + 1e-9);
  number.distance = band_of(number.ratio, has_same_digits);
}

// "of 113 GB/s" for a roof, "over 0.777 s" for another divisor, "from 2.59 s" for another operand.
std::string beside_text(const layout_cell& cell, const row& r) {
  const auto* const word = !cell.over ? "from" : is_roof(*cell.over) ? "of" : "over";
  const auto number = brief_text(r.value, r.q1, r.q3, r.unit);
  const bool has_unit = number.find(' ') != std::string::npos || r.unit == "1" || r.unit.empty();
  return fmt::format("{} {}{}", word, number, has_unit ? "" : " " + r.unit);
}

// Values that differ by less are not worth a line.
constexpr double notable_factor = 1.25;

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

bool is_roof(const row_key& selector) {
  return at(selector, key_field::experiment) == "harness/roofs";
}

cell_measurer::cell_measurer(const measured_lookup& lookup, const assessment& judged,
                             std::span<const run> runs, const variant_names& names)
    : lookup_(lookup), judged_(judged), runs_(runs), names_(names) {
  for (std::size_t i = 0; i < judged.judgements.size(); ++i) {
    const auto kind = judged.claims[i].kind;
    if (kind != claim_class::number && kind != claim_class::conclusion) continue;
    for (const auto& used : judged.judgements[i].used)
      if (used.data.status == "ok") claims_.emplace(used.data, decided{i, used.data.value});
  }
}

// Sets value and interval in the cell's unit. Units that measure something else leave no number.
bool cell_measurer::take(measured_number& to, const layout_cell& cell, const operands& from,
                         const std::string& unit) const {
  const auto& r = *from.number->data;
  if (!cell.over) {
    const auto factor = unit_factor(r.unit, unit);
    if (!factor) {
      to.reason = fmt::format("is measured in {}", std::string_view(r.unit));
      return false;
    }
    to.value = r.value * *factor;
    to.low = r.q1 * *factor;
    to.high = r.q3 * *factor;
  } else {
    const auto& divisor = *from.beside->data;
    const auto own_unit = cell.measured_unit.empty() ? r.unit.str() : cell.measured_unit;
    const auto same = unit_factor(own_unit, divisor.unit), share = unit_factor("1", unit);
    if (!same || !share) {
      to.reason = "its parts have different units";
      return false;
    }
    to.value = (r.value * *same / divisor.value - (cell.is_excess ? 1 : 0)) * *share;
    to.low = to.high = to.value;
  }
  to.from = &r;
  to.device = from.number->device;
  to.runs = {from.number->run_rank};
  if (from.beside != nullptr) {
    to.beside = from.beside->data;
    to.runs.push_back(from.beside->run_rank);
  }
  return true;
}

// A claim holds the cell if it rests on the measured number, or on the same one of another run, and states the printed one.
void cell_measurer::add_verdict(measured_number& to, const row& published) const {
  const auto [first, last] = claims_.equal_range(*to.from);
  for (auto one = first; one != last; ++one) {
    const auto& [claim, by] = one->second;
    if (std::abs(by - to.from->value) > 1e-6 * std::abs(by)) continue;
    const auto& c = judged_.claims[claim];
    if (std::abs(c.published - published.value) > 1e-9 * std::abs(published.value) || std::isnan(c.published))
      continue;
    to.verdict = to_string(judged_.judgements[claim].outcome);
    to.claim = c.id;
    return;
  }
}

void cell_measurer::add_notes(measured_number& to, const layout_cell& cell, const row_key& selector,
                              const operands& from) const {
  to.notes = lookup_.deviations(selector, *from.number, names_);
  if (cell.over && from.beside != nullptr)
    for (auto& one : lookup_.deviations(*cell.over, *from.beside, names_))
      if (std::ranges::find(to.notes, one) == to.notes.end()) to.notes.push_back(std::move(one));
  const std::vector<const row*> rows{to.from, to.beside != nullptr ? to.beside : to.from};
  const reserves known(runs_);
  for (auto& one : known.about(rows)) to.notes.push_back(std::move(one));
  if (to.runs.front() != to.runs.back()) to.notes.emplace_back("its two parts are from different runs");
  if (cell.is_excess && to.value < 0)
    to.notes.emplace_back("the other way round: the quotient of both, as there is no excess");
}

void cell_measurer::add_other_runs(measured_number& to, const layout_cell& cell, const row_key& selector,
                                   const operands& from, const std::string& unit) const {
  double least = to.value, most = to.value;
  for (const auto* other : lookup_.in_other_runs(selector, *from.number)) {
    operands same{other, nullptr};
    if (cell.over) {
      same.beside = lookup_.beside(operand_of(cell, *cell.over, *other->data), *other);
      if (same.beside == nullptr || same.beside->run_rank != other->run_rank) continue;
    }
    measured_number number;
    if (!take(number, cell, same, unit)) continue;
    least = std::min(least, number.value);
    most = std::max(most, number.value);
  }
  if (least > 0 && most > notable_factor * least)
    to.runs_text = fmt::format("{} to {}", brief_text(least), brief_text(most));
}

std::optional<measured_number> cell_measurer::measure_row(const layout_cell& cell,
                                                          const printed_layout& layout,
                                                          const table_view& view,
                                                          const print_of_cell& printed,
                                                          const row& wanted) const {
  const auto selector = chosen(cell.measured, layout, view);
  for (const auto* one : lookup_.matching(selector))
    if (one->data == &wanted) return measure(cell, layout, view, printed, {one, nullptr});
  return std::nullopt;
}

measured_number cell_measurer::measure(const layout_cell& cell, const printed_layout& layout,
                                       const table_view& view, const print_of_cell& printed) const {
  return measure(cell, layout, view, printed,
                 {lookup_.nearest(chosen(cell.measured, layout, view), view.device), nullptr});
}

measured_number cell_measurer::measure(const layout_cell& cell, const printed_layout& layout,
                                       const table_view& view, const print_of_cell& printed,
                                       operands from) const {
  measured_number number;
  if (number.reason = cell.reason; !number.reason.empty()) return number;
  const auto selector = chosen(cell.measured, layout, view);
  if (from.number == nullptr) {
    number.reason = lookup_.why_missing(selector);
    return number;
  }
  if (const auto& other = cell.over ? cell.over : cell.also)
    from.beside =
        lookup_.beside(chosen(operand_of(cell, *other, *from.number->data), layout, view), *from.number);
  if (cell.over && from.beside == nullptr) {
    number.reason = lookup_.why_missing(*cell.over);
    return number;
  }
  const bool is_share = cell.over && is_roof(*cell.over);
  if (is_share && (from.beside->run_rank != from.number->run_rank ||
                   from.beside->data->device != from.number->data->device)) {
    number.reason = "the run that measured the rate did not measure this roof of the device";
    return number;
  }
  if (!take(number, cell, from, printed.unit)) return number;
  if (number.beside != nullptr) number.beside_text = beside_text(cell, *number.beside);
  compare(number, printed);
  add_verdict(number, *printed.published);
  add_notes(number, cell, selector, from);
  add_other_runs(number, cell, selector, from, printed.unit);
  if (const auto word = cell.words.find(fmt::format("{}", number.value)); word != cell.words.end())
    number.text = word->second;
  return number;
}

}  // namespace reprise::reports
