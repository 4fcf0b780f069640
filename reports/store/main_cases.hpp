// SPDX-License-Identifier: MIT
// The case that stands for a paper where there is room for one only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::reports {

struct main_case {
  std::string id;     // the paper's word
  std::string title;  // "1000 sweeps of 1024x1024"
  std::string precision, size, parameter;
  std::vector<std::string> metrics;  // the times of whole pieces of work; the first one is the case's

  // Whether the number is the time of this case by some variant.
  bool is(const number_id& id) const;
  // The same of its work at any size.
  bool has_work_of(const number_id& id) const;
  // Whether the metric is a time by which all cases of the paper can be compared.
  bool compares(const number_id& id) const;
};

// Throws bad_input with file and line for a case that cannot be read.
std::vector<main_case> read_main_cases(const std::filesystem::path& file);

}  // namespace reprise::reports
