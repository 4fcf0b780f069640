// SPDX-License-Identifier: MIT
// The rows that tables and figures show, and the fields that distinguish them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/page/names.hpp"
#include "reports/store/layout.hpp"
#include "reports/store/row.hpp"
#include "reports/store/run.hpp"

namespace reprise::reports {

struct shown_row {
  const row* data{};
  bool published{};
  shared_text device;   // its name; with the run's name if there are several runs
  shared_text variant;  // its name
  std::size_t run_rank{};
  std::size_t device_rank{};

  std::string_view source() const { return published ? "published" : "measured"; }
};

// Published rows in their own order, then measured ones ordered by run and by the run's order of devices. The
// result points into both arguments.
std::vector<shown_row> shown_rows(std::span<const row> published, std::span<const run> runs,
                                  const variant_names& names = {});

// The layout's rows, including rows that were skipped before their size or metric was known.
std::vector<shown_row> rows_of(const layout& shape, std::span<const shown_row> rows);

// Fields that are shown only if they differ between the rows.
struct distinctions {
  bool precision{}, parameter{}, size{};
};
distinctions distinctions_between(std::span<const shown_row> rows);

// Whether the row has a number to show.
bool has_value(const shown_row& r);

// The unit of the first row that has one.
std::string unit_of(const std::string& metric, std::span<const shown_row> rows);

}  // namespace reprise::reports
