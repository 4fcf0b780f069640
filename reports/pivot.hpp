// SPDX-License-Identifier: MIT
// What tables and figures share: which rows belong to a layout, and which of their fields tell lines apart.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "reports/tables.hpp"

namespace reprise::reports {

// The layout's rows, with those that were skipped before anything was known of their size or metric.
std::vector<shown_row> rows_of(const layout& shape, std::span<const shown_row> rows);

// Fields that are named only where they differ between the rows shown.
struct distinctions {
  bool precision{}, parameter{}, size{};
};
distinctions distinctions_between(std::span<const shown_row> rows);

// Whether there is a number to show.
bool has_value(const shown_row& r);

// Whether `a` belongs before `b`, as numbers where they are made of numbers: "508x1024" before "1024x1024".
bool size_before(const std::string& a, const std::string& b);

// "time_1000_sweeps (s)"; a ratio, whose unit is 1, has none.
std::string with_unit(const std::string& name, const std::string& unit);

// The unit of the first row that has one.
std::string unit_of(const std::string& metric, std::span<const shown_row> rows);

}  // namespace reprise::reports
