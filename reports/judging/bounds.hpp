// SPDX-License-Identifier: MIT
// The bounds that decide claims, by kind of sentence: one table for all papers, so that no claim has bounds
// chosen for its own outcome. An exception is a line whose kind is the name of its claim.
#pragma once

#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "reports/store/csv.hpp"

namespace reprise::reports {

// ">1", "<=1.05", or "1.2..3", which includes both ends.
struct range {
  double low{-std::numeric_limits<double>::infinity()};
  double high{std::numeric_limits<double>::infinity()};
  bool excludes_low{}, excludes_high{};

  bool contains(double value) const;
};

// What the ends of a bound's range count.
// - value: the quantity itself
// - times: multiples of the published number
// - plus: differences from the published number
// - digits: units of the last digit that the paper printed
enum class bound_unit { value, times, plus, digits };

struct bound {
  std::string id;  // the kind of sentence, or the WORD/CLAIM of an exception
  bound_unit of{};
  range allowed;
  std::string sentence;  // the sentence that the bound reads: "about N times"
  std::string reason;
  csv::place at;

  bool needs_published() const { return of != bound_unit::value; }

  // The range of the quantity itself. `half_digit` is half a unit of the last printed digit.
  range around(double published, double half_digit) const;
};

constexpr std::array<std::string_view, 5> bound_columns{"kind", "of", "range", "sentence", "reason"};

using bounds = std::map<std::string, bound>;

constexpr auto bounds_name = "bounds.csv";

// Throws bad_input with file and line for a bound that cannot be read.
bounds read_bounds(const std::filesystem::path& file);

}  // namespace reprise::reports
