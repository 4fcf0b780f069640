// SPDX-License-Identifier: MIT
// The quantity of a claim: an expression over rows, "{cuda_2d@512x1024} / {cuda_shared@512x1024}".
//
//   {VARIANT@SIZE:METRIC,OPTION=VALUE,...}
//
// VARIANT (within the family) and SIZE are shell globs. The options are experiment=table1, device=PH 280,
// precision=single, parameter=matrix=pinned and source=published. Everything after SIZE may be left out: the
// default metric is the family's usual one, and any experiment, device and precision match.
// Without source=published a selector matches measured rows with right answers. Without a parameter it matches measured rows that
// have none, and any printed row. It must not match two readings of one case, such as both precisions.
//
// A selector with a glob stands for as many numbers as it matches rows. It must therefore be a whole argument
// of a function with any number of arguments: min, max, avg, sum. Or the whole expression is each(...) around one
// selector; it then has one value for each row, and every value has to satisfy the claim.
#pragma once

#include <string>
#include <vector>

#include "reports/store/csv.hpp"

namespace reprise::reports {

struct selector {
  std::string text;  // as written in the claim, without the braces
  std::string variant, size, metric;
  std::string experiment, device, precision, parameter;  // empty: any
  bool published{};

  bool is_glob() const;
};

// An expression split at its selectors: literals[0] selectors[0] literals[1] ... literals[n].
struct quantity {
  std::string text;  // as written in the claim
  std::vector<std::string> literals;
  std::vector<selector> selectors;
  bool is_each{};  // one value for each row of its only selector

  // The expression's value if the i-th selector stands for numbers[i]. Throws bad_input if the expression
  // does not parse or does not have exactly one value.
  double evaluate(const std::vector<std::vector<double>>& numbers, const csv::place& at) const;
};

// Throws bad_input for a malformed selector or expression.
quantity parse_quantity(const std::string& text, const csv::place& at);

}  // namespace reprise::reports
