// SPDX-License-Identifier: MIT
// Finds the rows that an expression needs, and evaluates it with its interval.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/judging/noise.hpp"
#include "reports/judging/quantity.hpp"
#include "reports/judging/selection.hpp"

namespace reprise::reports {

// The rows that the selectors of one expression stand for.
using rows_of_selectors = std::vector<std::vector<candidate>>;

struct found_rows {
  rows_of_selectors of_selector;
  std::string missing;                     // why selectors have none
  std::vector<const row*> without_number;  // for each of these the row that explains it best, or nullptr
};

// The first kind of machine that has rows for all selectors of these expressions, or else for most of them. Nothing without runs.
std::optional<std::size_t> kind_of_machine_for(std::span<const quantity* const> expressions,
                                               const evidence& known);

// The rows of all selectors in the runs that count.
rows_of_selectors rows_in(const quantity& expression, const evidence& known, const run_filter& counts);

// All on machines of this kind, and all from one run where one has them all. Throws bad_input if a selector of published rows
// selects none or several.
found_rows find_rows(const quantity& expression, const evidence& known, const csv::place& at,
                     std::optional<std::size_t> kind);

// An expression whose rows are each only once in `rows`, so that a row in two places moves in both.
class evaluation {
 public:
  evaluation(const quantity& expression, const rows_of_selectors& of_selector, const csv::place& at);

  const std::vector<candidate>& rows() const { return rows_; }
  double with(const std::vector<double>& values) const;
  // The expression with the rows' numbers.
  std::string arithmetic() const;

 private:
  const quantity& expression_;
  const csv::place& at_;
  std::vector<candidate> rows_;
  std::vector<std::vector<std::size_t>> index_;
};

// The intervals of sampled times combine in squares unless all `adds_up`. Not a number if a row's number is not finite.
interval evaluate(const evaluation& e, const evidence& known, bool adds_up);

}  // namespace reprise::reports
