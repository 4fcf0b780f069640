// SPDX-License-Identifier: MIT
// Sets the allowances. They lie far above the differences between GCC's host code and LLVM's OpenCL code for
// the same method (docs/comparing.md has the numbers), and below the effect of a changed coefficient.
#include "reports/accuracy/kinds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reports/store/glob.hpp"

namespace reprise::reports {
namespace {

struct named_kind {
  metric_kind kind;
  std::vector<std::string> globs;
};

// The first kind that matches counts, so that "error_estimate" is not taken for a discretisation error.
const std::vector<named_kind>& named_kinds() {
  static const std::vector<named_kind> kinds{
      {metric_kind::order, {"order", "order_*", "eoc_*"}},
      {metric_kind::rounding,
       {"error_estimate", "timed_*_error", "*backward_error", "max_relative_error", "relative_error",
        "max_difference", "conservation_drift", "mass_*", "departure_*", "front_shift", "derivative_error"}},
      {metric_kind::error, {"error_*", "rrms", "l*_error", "peak_safe_*", "curve_*", "activation_shift"}},
      {metric_kind::count,
       {"accepted_steps", "rejected_steps", "attempted_steps", "rhs_evaluations", "iterations", "row_swaps",
        "clipped"}},
      {metric_kind::quantity,
       {"area_*", "willmore_energy_*", "u_m??", "reached", "*stable_dt", "diffusive_limit",
        "gain_of_rush_larsen", "condition"}},
      {metric_kind::agreement, {"agreement of *"}}};
  return kinds;
}

// Not in a baseline: speed, properties of the machine, limits and references (which the values that they
// belong to repeat), and the points of curves.
constexpr std::array left_out{"time_*",
                              "*bandwidth_*",
                              "*flops*",
                              "share_of_*",
                              "speedup_*",
                              "energy_*",
                              "setup_time",
                              "*_roof",
                              "part_*",
                              "split_share",
                              "solve_share",
                              "rhs_time_*",
                              "spread",
                              "amdahl_limit",
                              "slope_n",
                              "slope_dt",
                              "crossover_n",
                              "occupancy",
                              "rrms_limit",
                              "error_at_time",
                              "error_exponent",
                              "voltage",
                              "launches_per_step",
                              "reference_uncertainty",
                              "bus_bytes",
                              "launch_floor",
                              "wrong_problems",
                              "counted_*",
                              "error_over_double",
                              "local_order",
                              "least_error"};

constexpr std::array<std::string_view, 7> names{"order",    "error",     "rounding", "count",
                                                "quantity", "agreement", "swing"};

constexpr std::array<allowance, 7> allowances{
    {{.absolute = .05,
      .may_be_higher = true,
      .reason = "an order is a slope of errors that each may move by their allowance; a method that lost a "
                "coefficient loses a tenth of an order or more"},
     {.relative = .02,
      .roundings = 64,
      .may_be_lower = true,
      .reason = "an error of discretisation belongs to the method; rounding moves it by some dozen machine "
                "epsilons, an adaptive run's other choice of a step by a percent"},
     {.relative = 3,
      .roundings = 32,
      .may_be_lower = true,
      .reason = "a distance made of rounding is another one under every compiler, but of the same size"},
     {.relative = .02,
      .absolute = 2,
      .reason = "a step whose error is at the tolerance may be accepted or not, one way or the other"},
     {.relative = 1e-3,
      .roundings = 64,
      .reason = "a property of the solution, which another sequence of steps within the same tolerance moves "
                "in the fourth digit at most"},
     {.absolute = 2, .may_be_lower = true, .reason = "two numbers that each may move by their allowance"},
     {.relative = 1,
      .may_be_lower = true,
      .reason = "a run without Rush-Larsen tries its steps at the limit of stability, and rounding decides "
                "which are accepted: another order of sums moved such errors by up to two thirds"}}};

double epsilon_of(std::string_view precision) {
  return precision == "double" ? std::numeric_limits<double>::epsilon()
                               : static_cast<double>(std::numeric_limits<float>::epsilon());
}

}  // namespace

std::string_view to_string(metric_kind kind) {
  return names.at(static_cast<std::size_t>(kind));
}

bool is_left_out(std::string_view metric) {
  return std::ranges::any_of(left_out, [&](const char* glob) { return matches_glob(glob, metric); });
}

std::optional<metric_kind> kind_of(std::string_view metric) {
  const auto found = std::ranges::find_if(named_kinds(), [&](const named_kind& n) {
    return std::ranges::any_of(n.globs, [&](const auto& glob) { return matches_glob(glob, metric); });
  });
  if (found == named_kinds().end() || is_left_out(metric)) return std::nullopt;
  return found->kind;
}

metric_kind kind_in_case(std::string_view metric, std::string_view parameter) {
  const metric_kind kind = kind_of(metric).value();
  const bool is_at_the_limit = parameter.find("gates=plain") != std::string_view::npos &&
                               parameter.find(";at=") != std::string_view::npos;
  return kind == metric_kind::error && is_at_the_limit ? metric_kind::swing : kind;
}

const allowance& allowance_of(metric_kind kind) {
  return allowances.at(static_cast<std::size_t>(kind));
}

double allowed_distance(metric_kind kind, std::string_view precision, double expected) {
  const auto& a = allowance_of(kind);
  return std::max(a.absolute, a.relative * std::abs(expected) + a.roundings * epsilon_of(precision));
}

}  // namespace reprise::reports
