// SPDX-License-Identifier: MIT
// Which metrics say how right an answer is, and by how much each kind of them may differ from one machine,
// compiler or driver to another when nothing was changed but the rounding.
#pragma once

#include <optional>
#include <string_view>

namespace reprise::reports {

// order      a fitted slope, or the observed order between two grids
// error      of discretisation, against an exact or a far finer solution
// rounding   between two computations of the same numbers
// count      steps, evaluations, exchanges of rows
// quantity   of a solution: an area, a voltage, the longest stable step
// agreement  the largest distance between variants that solved the same problem, over what one may move by
enum class metric_kind { order, error, rounding, count, quantity, agreement };
std::string_view to_string(metric_kind kind);

// None for what says how fast something was, and for anything else that no baseline holds.
std::optional<metric_kind> kind_of(std::string_view metric);

// Whether it is left out on purpose: a metric that is neither this nor of a kind is new.
bool is_left_out(std::string_view metric);

struct allowance {
  double relative{};   // of the value in the baseline
  double roundings{};  // times the precision's machine epsilon
  double absolute{};
  bool may_be_lower{};  // a smaller value is better
  bool may_be_higher{};
  std::string_view reason;
};

const allowance& allowance_of(metric_kind kind);

// How far a value may be from this one.
double allowed_distance(metric_kind kind, std::string_view precision, double expected);

}  // namespace reprise::reports
