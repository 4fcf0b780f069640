// SPDX-License-Identifier: MIT
// The quantity of a claim: an expression over rows, "{cuda_2d@512x1024} / {cuda_shared@512x1024}".
//
// {VARIANT@SIZE:METRIC,experiment=table1,device=PH
// 280,precision=single,parameter=matrix=pinned,source=published}
//
// VARIANT, within the family, and SIZE are shell globs. All that follows them may be left out: a claim's
// family has its usual metric, and any experiment, device, precision and parameter will do. Without
// source=published a selector stands for measured rows that are right. A selector with a glob stands for as
// many numbers as it finds rows, so it must be a whole argument of a function that takes any number of them:
// min, max, avg, sum.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/csv.hpp"

namespace reprise::reports {

struct selector {
  std::string text;  // as it stands in the claim, without the braces
  std::string variant, size, metric;
  std::string experiment, device, precision, parameter;  // empty: any
  bool published{};

  bool is_glob() const;
};

// An expression cut at its selectors: literals[0] selectors[0] literals[1] ... literals[n].
struct quantity {
  std::vector<std::string> literals;
  std::vector<selector> selectors;

  // The expression's value where the i-th selector stands for numbers[i]. Throws bad_input for an expression
  // that does not parse or has not one value.
  double evaluate(const std::vector<std::vector<double>>& numbers, const csv::place& at) const;
};

// Throws bad_input for a malformed selector or expression.
quantity parse_quantity(const std::string& text, const csv::place& at);

// A shell glob.
bool matches_glob(const std::string& pattern, std::string_view text);

}  // namespace reprise::reports
