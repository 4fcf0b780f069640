// SPDX-License-Identifier: MIT
// Rows as if they had been measured, and the row of a metric among others.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::testing {

inline reports::row measured_row(const std::string& variant, const std::string& size,
                                 const std::string& parameter, const std::string& metric, double value) {
  reports::row r;
  r.variant = variant;
  r.device = "cpu";
  r.size = size;
  r.parameter = parameter;
  r.metric = metric;
  r.value = value;
  r.status = "ok";
  return r;
}

// The only row for which this holds.
template <class Predicate>
const reports::row& only_row(const std::vector<reports::row>& rows, Predicate is_it) {
  if (std::ranges::count_if(rows, is_it) != 1) throw std::runtime_error("not exactly one such row");
  return *std::ranges::find_if(rows, is_it);
}

// The first row of the metric.
inline const reports::row& row_of(const std::vector<reports::row>& rows, const std::string& metric) {
  const auto found = std::ranges::find(rows, metric, &reports::row::metric);
  if (found == rows.end()) throw std::runtime_error("no row " + metric);
  return *found;
}

inline const reports::row& row_of(const std::vector<reports::row>& rows, const std::string& metric,
                                  const std::string& parameter) {
  return only_row(rows,
                  [&](const reports::row& r) { return r.metric == metric && r.parameter == parameter; });
}

}  // namespace reprise::testing
