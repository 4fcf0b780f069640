// SPDX-License-Identifier: MIT
// Recomputes derived cells, with bounds over all roundings of the cells they are computed from.
#include "reports/judging/derived.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "reports/judging/selection.hpp"
#include "reports/store/files.hpp"
#include "reports/store/named_records.hpp"

namespace reprise::reports {
namespace {

// The bounds are taken over the 2^n corners of the box of roundings.
constexpr std::size_t most_cells = 10;

void require_published(const derived_cell& cell) {
  for (const auto& s : cell.expression.selectors)
    if (!s.published) throw cell.at.complaint("{{{}}} needs source=published", s.text);
}

derived_cell to_cell(const csv::record<derived_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  derived_cell cell{f[0],
                    f[1],
                    parse_quantity(f[2], at),
                    csv::to_number(f[3], "printed", at),
                    csv::to_number(f[4], "rounding", at),
                    f[5],
                    at};
  if (!std::isfinite(cell.printed)) throw at.complaint("has no printed number");
  if (!(cell.rounding >= 0) || std::isinf(cell.rounding))
    throw at.complaint("has no rounding, half a unit of the last printed digit");
  if (cell.expression.is_each) throw at.complaint("a cell has one value, and each(...) has several");
  require_published(cell);
  return cell;
}

// The rows that the selectors refer to, each only once.
struct inputs {
  std::vector<const row*> rows;
  std::vector<std::size_t> of_selector;  // index of each selector's row
};

inputs find_inputs(const derived_cell& cell, const evidence& known) {
  inputs result;
  for (const auto& s : cell.expression.selectors) {
    const auto chosen = select(s, known);
    if (const auto choice = open_choice(s, known); !choice.empty()) throw cell.at.complaint("{}", choice);
    if (chosen.size() != 1)
      throw cell.at.complaint("{{{}}} selects {} published rows and has to be one cell", s.text,
                              chosen.size());
    const auto* one = chosen.front().data;
    const auto at = std::ranges::find(result.rows, one);
    result.of_selector.push_back(static_cast<std::size_t>(at - result.rows.begin()));
    if (at == result.rows.end()) result.rows.push_back(one);
  }
  if (result.rows.size() > most_cells)
    throw cell.at.complaint("rests on more than {} cells; split it", most_cells);
  return result;
}

// Widens the range by a value. A value that is NaN makes both ends NaN.
void widen(recomputation& range, double value) {
  if (!(value >= range.low)) range.low = value;
  if (!(value <= range.high)) range.high = value;
}

// Evaluates the cell with these values in place of the rows'.
double evaluate(const derived_cell& cell, const inputs& of, const std::vector<double>& values) {
  std::vector<std::vector<double>> numbers;
  for (const auto i : of.of_selector) numbers.push_back({values[i]});
  return cell.expression.evaluate(numbers, cell.at);
}

std::string arithmetic_of(const derived_cell& cell, const inputs& of) {
  std::string text = cell.expression.literals.front();
  for (std::size_t i = 0; i < of.of_selector.size(); ++i)
    text += csv::number(of.rows[of.of_selector[i]]->value) + cell.expression.literals[i + 1];
  return text;
}

}  // namespace

std::vector<derived_cell> read_derived(const std::filesystem::path& file) {
  return read_named(file, derived_columns, to_cell);
}

double half_unit_of(std::string_view number) {
  const auto exponent_at = std::min(number.find_first_of("eE"), number.size());
  int exponent = 0;
  if (exponent_at < number.size()) {
    auto digits = number.substr(exponent_at + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  }
  const auto mantissa = number.substr(0, exponent_at);
  const auto point = mantissa.find('.');
  const auto decimals = point == std::string_view::npos ? 0 : mantissa.size() - point - 1;
  return 0.5 * std::pow(10, static_cast<double>(exponent) - static_cast<double>(decimals));
}

printed_rows read_printed(const std::filesystem::path& file) {
  const auto text = read_text(file);
  printed_rows paper{parse_rows(file, text), {}};
  const auto value_at =
      static_cast<std::size_t>(std::ranges::find(row_columns, "value") - row_columns.begin());
  for (const auto& record : csv::parse(file, text, row_columns)) {
    const auto& r = paper.rows.at(paper.roundings.size());
    const bool is_exact = r.q1 == r.value && r.q3 == r.value;
    paper.roundings.push_back(is_exact ? 0 : half_unit_of(record.fields[value_at]));
    if (std::isinf(r.value) || std::isinf(paper.roundings.back()))
      throw csv::place{file, record.line}.complaint("no paper prints an infinite number; correct it");
  }
  return paper;
}

recomputation recompute(const derived_cell& cell, std::string_view family, std::string_view metric,
                        const printed_rows& paper) {
  const auto of = find_inputs(cell, {family, metric, {}, paper.rows});
  std::vector<double> printed, roundings;
  for (const auto* r : of.rows) {
    printed.push_back(r->value);
    roundings.push_back(paper.roundings.at(static_cast<std::size_t>(r - paper.rows.data())));
  }
  recomputation result;
  result.value = result.low = result.high = evaluate(cell, of, printed);
  result.arithmetic = arithmetic_of(cell, of);
  for (std::size_t corner = 0; corner < std::size_t{1} << printed.size(); ++corner) {
    auto values = printed;
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] += (corner >> i & 1) != 0 ? roundings[i] : -roundings[i];
    const double value = evaluate(cell, of, values);
    if (std::isfinite(result.low) && std::isfinite(result.high)) widen(result, value);
  }
  // Accepts values at the very edge, even if the subtraction rounds outwards.
  const double slack = 1e-9 * std::abs(cell.printed);
  result.agrees = std::isfinite(result.low) && std::isfinite(result.high) &&
                  result.low <= cell.printed + cell.rounding + slack &&
                  result.high >= cell.printed - cell.rounding - slack;
  return result;
}

}  // namespace reprise::reports
