// SPDX-License-Identifier: MIT
// Finds the rows that a quantity's selector stands for.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/judging/quantity.hpp"
#include "reports/judging/row_index.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

// The data by which claims of one family are judged.
struct evidence {
  std::string_view family;
  std::string_view metric;  // the metric of a selector that names none
  row_index runs;
  std::span<const row> published;
  std::span<const double> roundings{};  // of each published row; exact if empty
};

// Which runs count. Empty: all.
using run_filter = std::function<bool(const run&)>;

// The best row for each variant and size, in the order of the rows.
std::vector<candidate> select(const selector& s, const evidence& known, const run_filter& counts = {});

// What the selector has to name, if it stands for two readings of one case between which nothing chooses: two precisions in one
// run, or two printed rows. Empty if it stands for one.
std::string open_choice(const selector& s, const evidence& known, const run_filter& counts = {});

// The runs that have a row for this selector of measured rows, in their order.
std::vector<const run*> runs_with(const selector& s, const evidence& known);

// The row that explains best why no measured row matches: the skipped, disturbed or failed row that would be it, or that of its
// case if nothing of that case was measured. Other rows, such as one of a missing energy counter, do not explain it. nullptr if
// there is none.
const row* row_without_number(const selector& s, const evidence& known, const run_filter& counts = {});

// Why no measured row matches, in words: the reason of that row, or what has to be named or measured.
std::string why_nothing(const selector& s, const row* without_number, const evidence& known);

// "table1 cuda_shared@512x1024 cuda:0"
std::string basis_key(const candidate& c, const evidence& known);

}  // namespace reprise::reports
