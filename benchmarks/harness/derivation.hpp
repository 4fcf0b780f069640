// SPDX-License-Identifier: MIT
// Helpers of the functions in which families compute rows from measured rows.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "reports/store/row.hpp"
#include "verification/checkers/order_fit.hpp"

namespace reprise::harness {

// The rows that `derive` gives, of which those are disturbed that would be others, or would not be there, if disturbed times were
// right: without its disturbed points a series of times may have another end, another slope or another best.
std::vector<reports::row> derived_beside_disturbed(
    const std::function<std::vector<reports::row>(std::span<const reports::row>)>& derive,
    std::span<const reports::row> rows);

// Whether the row holds a right value of this metric.
bool is_right(const reports::row& r, const std::string& metric);

// The value of the variant's metric for the same precision, size and parameter as those of `other`, if it was
// measured.
std::optional<double> value_by(const std::string& variant, const std::string& metric,
                               std::span<const reports::row> rows, const reports::row& other);

// Copies a measured row and replaces its metric, value, unit and reason.
reports::row derived(reports::row from, const std::string& metric, double value, const std::string& unit,
                     const std::string& reason);

// A speed-up over the variant `over`: the name of its metric, and the reason that its rows give.
struct speedup {
  std::string over, metric, reason;
};
// Adds the speed-up of the case whose time is given, if `over` is another variant and solved the same problem
// in this run.
void add(const speedup& s, std::vector<reports::row>& all, std::span<const reports::row> rows,
         const reports::row& time);

// Copies a measured row as `derived` does. The value is a fitted slope; the quartiles hold its 95 %
// confidence interval.
reports::row fitted(const reports::row& from, const std::string& metric, const checkers::fitted_order& fit);

// Removes the number that changes along a line from a row, and returns it; NaN if the row has none.
using taken_number = std::function<double(reports::row&)>;
taken_number parameter_number(const std::string& name);
taken_number width_of_size();

// The points of one case whose rows differ only in the number that changes along the line.
struct line {
  reports::row like;  // its last row, without that number
  reports::row last;  // its last row
  std::vector<double> x, y;
};

// Collects the right rows of the metric that have such a number, one line for each remaining case.
std::vector<line> lines_over(const taken_number& take, std::span<const reports::row> rows,
                             const std::string& metric);

}  // namespace reprise::harness
