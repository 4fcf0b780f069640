// SPDX-License-Identifier: MIT
// The rows that a quantity's selector stands for.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/quantity.hpp"
#include "reports/row.hpp"
#include "reports/run_folder.hpp"

namespace reprise::reports {

// What claims of one family are judged by.
struct evidence {
  std::string_view family;
  std::string_view metric;  // what a selector means that names none
  std::span<const run> runs;
  std::span<const row> published;
};

// A row that a selector fits. The first run and, within it, the device that run.json names first count most.
struct candidate {
  const row* data{};
  const run* from{};  // null for a published row
  std::size_t run_rank{};
  std::size_t device_rank{};
};

// For each variant and size, in the order of the rows, the one row that counts.
std::vector<candidate> select(const selector& s, const evidence& known);

// Why a selector found nothing measured: the reason of a row that was skipped or failed, if there is one.
std::string why_nothing(const selector& s, const evidence& known);

// "table1 cuda_shared@512x1024 cuda:0"
std::string basis_key(const candidate& c, const evidence& known);

}  // namespace reprise::reports
