// SPDX-License-Identifier: MIT
// Which metrics describe accuracy, and how far each kind may differ between machines, compilers or drivers if
// nothing but the rounding changed.
#pragma once

#include <optional>
#include <string_view>

namespace reprise::reports {

// - order: a fitted slope, or the observed order between two grids
// - error: a discretisation error, against an exact or a far finer solution
// - rounding: the difference between two computations of the same numbers
// - count: steps, evaluations, row exchanges
// - quantity: a property of a solution, such as an area, a voltage, or the longest stable step
// - agreement: the largest difference between variants on the same problem, divided by its allowance
// - swing: an error of a run that tries its steps at the limit of stability, where rounding decides what is accepted
enum class metric_kind { order, error, rounding, count, quantity, agreement, swing };
std::string_view to_string(metric_kind kind);

// Empty for metrics of speed, and for all others that no baseline contains.
std::optional<metric_kind> kind_of(std::string_view metric);
// The same, of a metric that has a kind, in the case with this parameter.
metric_kind kind_in_case(std::string_view metric, std::string_view parameter);

// Whether the metric is left out on purpose. A metric that is neither left out nor has a kind is new.
bool is_left_out(std::string_view metric);

struct allowance {
  double relative{};   // fraction of the baseline's value
  double roundings{};  // multiples of the precision's machine epsilon
  double absolute{};
  bool may_be_lower{};  // a smaller value is better
  bool may_be_higher{};
  std::string_view reason;
};

const allowance& allowance_of(metric_kind kind);

// How far a value may lie from `expected`.
double allowed_distance(metric_kind kind, std::string_view precision, double expected);

}  // namespace reprise::reports
