// SPDX-License-Identifier: MIT
// Takes the rows from one kind of machine, and from one run where it can. Lets the noise of each row move the value.
#include "reports/judging/evaluation.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace reprise::reports {
namespace {

bool mixes_runs(const rows_of_selectors& chosen) {
  const run* first = nullptr;
  for (const auto& several : chosen) {
    for (const auto& one : several) {
      if (first == nullptr) first = one.from;
      if (one.from != nullptr && one.from != first) return true;
    }
  }
  return false;
}

// The same rows, all from the first run that counts and has each of them; empty if there is none.
rows_of_selectors from_one_run(const quantity& expression, const rows_of_selectors& chosen,
                               const evidence& known, const run_filter& counts) {
  const auto& selectors = expression.selectors;
  const auto measured = std::ranges::find(selectors, false, &selector::published);
  for (const run* only : runs_with(*measured, known)) {
    if (counts && !counts(*only)) continue;
    auto same = rows_in(expression, known, [&](const run& r) { return &r == only; });
    const bool has_all = std::ranges::equal(
        same, chosen, [](const auto& few, const auto& all) { return few.size() >= all.size(); });
    if (has_all) return same;
  }
  return {};
}

run_filter on_kind(const evidence& known, std::optional<std::size_t> kind) {
  if (!kind) return {};
  return [&runs = known.runs, kind](const run& r) { return runs.kind_of_machine(r) == *kind; };
}

// What the noise of all rows does to a quantity, in one direction. Noise that is independent combines in squares, other noise
// adds.
class spread {
 public:
  void widen(double by, bool is_independent) {
    if (is_independent)
      squares_ = std::hypot(squares_, by);
    else
      sum_ += by;
  }
  double whole() const { return std::hypot(squares_, sum_); }

 private:
  double squares_{}, sum_{};
};

}  // namespace

rows_of_selectors rows_in(const quantity& expression, const evidence& known, const run_filter& counts) {
  rows_of_selectors chosen;
  for (const auto& s : expression.selectors) chosen.push_back(select(s, known, counts));
  return chosen;
}

std::optional<std::size_t> kind_of_machine_for(std::span<const quantity* const> expressions,
                                               const evidence& known) {
  const auto missing_on = [&](std::size_t kind) {
    std::ptrdiff_t missing = 0;
    for (const auto* expression : expressions)
      missing += std::ranges::count_if(rows_in(*expression, known, on_kind(known, kind)),
                                       [](const auto& rows) { return rows.empty(); });
    return missing;
  };
  std::optional<std::size_t> best;
  std::ptrdiff_t least = 0;
  for (const std::size_t kind : known.runs.kinds_of_machines()) {
    const auto missing = missing_on(kind);
    if (best && missing >= least) continue;
    best = kind;
    least = missing;
    if (least == 0) break;
  }
  return best;
}

found_rows find_rows(const quantity& expression, const evidence& known, const csv::place& at,
                     std::optional<std::size_t> kind) {
  const auto counts = on_kind(known, kind);
  auto chosen = rows_in(expression, known, counts);
  found_rows found;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto& s = expression.selectors[i];
    if (chosen[i].empty() && s.published)
      throw at.complaint("{{{}}} selects no published row; correct the selector", s.text);
    const row* without = chosen[i].empty() ? row_without_number(s, known, counts) : nullptr;
    const auto flaw = chosen[i].empty() ? why_nothing(s, without, known) : open_choice(s, known, counts);
    if (s.published && !flaw.empty()) throw at.complaint("{}", flaw);
    if (flaw.empty()) continue;
    found.missing += (found.missing.empty() ? "" : "; ") + flaw;
    found.without_number.push_back(without);
  }
  found.of_selector = std::move(chosen);
  // Two sides of a comparison belong to one day where a run has both.
  if (found.missing.empty() && expression.selectors.size() > 1 && mixes_runs(found.of_selector)) {
    auto same = from_one_run(expression, found.of_selector, known, counts);
    if (!same.empty()) found.of_selector = std::move(same);
  }
  return found;
}

evaluation::evaluation(const quantity& expression, const rows_of_selectors& of_selector, const csv::place& at)
    : expression_(expression), at_(at) {
  std::unordered_map<const row*, std::size_t> known;
  for (const auto& several : of_selector) {
    auto& indices = index_.emplace_back();
    for (const auto& one : several) {
      const auto [index, is_new] = known.try_emplace(one.data, rows_.size());
      indices.push_back(index->second);
      if (is_new) rows_.push_back(one);
    }
  }
}

double evaluation::with(const std::vector<double>& values) const {
  std::vector<std::vector<double>> numbers;
  for (const auto& indices : index_) {
    auto& several = numbers.emplace_back();
    for (const auto i : indices) several.push_back(values[i]);
  }
  return expression_.evaluate(numbers, at_);
}

std::string evaluation::arithmetic() const {
  std::string text = expression_.literals.front();
  for (std::size_t s = 0; s < index_.size(); ++s) {
    std::vector<std::string> numbers;
    for (const auto i : index_[s]) numbers.push_back(fmt::format("{:.4g}", rows_[i].data->value));
    text += fmt::format("{}{}", fmt::join(numbers, ", "), expression_.literals[s + 1]);
  }
  return text;
}

interval evaluate(const evaluation& e, const evidence& known, bool adds_up) {
  std::vector<double> values;
  for (const auto& c : e.rows()) values.push_back(c.data->value);
  // A maximum or a quotient may hide a number that is not finite; no quantity rests on one.
  if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) return {};
  interval result;
  result.value = e.with(values);
  spread below, above;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto noise = interval_of(e.rows()[i], known);
    if (noise.is_exact()) continue;
    auto moved = values;
    moved[i] = noise.low;
    const double a = e.with(moved) - result.value;
    moved[i] = noise.high;
    const double b = e.with(moved) - result.value;
    if (!std::isfinite(a) || !std::isfinite(b)) continue;  // e.g. a divisor that rounds to zero
    const bool is_independent = !adds_up && is_sampled_time(*e.rows()[i].data);
    below.widen(std::max({0.0, -a, -b}), is_independent);
    above.widen(std::max({0.0, a, b}), is_independent);
  }
  result.low = result.value - below.whole();
  result.high = result.value + above.whole();
  if (!std::isfinite(result.value)) return {};
  return result;
}

}  // namespace reprise::reports
