// SPDX-License-Identifier: MIT
// The allowances lie far above what GCC's code for the host and LLVM's for OpenCL differ by for the same
// method (docs/comparing.md has the numbers), and below what a changed coefficient does.
#include "reports/baseline_kinds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "reports/quantity.hpp"

namespace reprise::reports {
namespace {

struct named_kind {
  const char* glob;
  metric_kind kind;
};

constexpr std::array named_kinds{named_kind{"order", metric_kind::order},
                                 named_kind{"order_*", metric_kind::order},
                                 named_kind{"eoc_*", metric_kind::order},
                                 named_kind{"error_estimate", metric_kind::rounding},
                                 named_kind{"error_*", metric_kind::error},
                                 named_kind{"rrms", metric_kind::error},
                                 named_kind{"*backward_error", metric_kind::rounding},
                                 named_kind{"l*_error", metric_kind::error},
                                 named_kind{"peak_safe_*", metric_kind::error},
                                 named_kind{"activation_shift", metric_kind::error},
                                 named_kind{"max_relative_error", metric_kind::rounding},
                                 named_kind{"relative_error", metric_kind::rounding},
                                 named_kind{"max_difference", metric_kind::rounding},
                                 named_kind{"conservation_drift", metric_kind::rounding},
                                 named_kind{"mass_*", metric_kind::rounding},
                                 named_kind{"accepted_steps", metric_kind::count},
                                 named_kind{"rejected_steps", metric_kind::count},
                                 named_kind{"attempted_steps", metric_kind::count},
                                 named_kind{"rhs_evaluations", metric_kind::count},
                                 named_kind{"iterations", metric_kind::count},
                                 named_kind{"row_swaps", metric_kind::count},
                                 named_kind{"clipped", metric_kind::count},
                                 named_kind{"area_*", metric_kind::quantity},
                                 named_kind{"willmore_energy_*", metric_kind::quantity},
                                 named_kind{"u_m??", metric_kind::quantity},
                                 named_kind{"reached", metric_kind::quantity},
                                 named_kind{"*stable_dt", metric_kind::quantity},
                                 named_kind{"diffusive_limit", metric_kind::quantity},
                                 named_kind{"gain_of_rush_larsen", metric_kind::quantity},
                                 named_kind{"condition", metric_kind::quantity},
                                 named_kind{"agreement of *", metric_kind::agreement}};

// Speed; properties of the machine; limits and references, which the numbers that they belong to repeat; and
// the points of curves.
constexpr std::array left_out{"time_*",         "*bandwidth_*", "*flops*",           "share_of_*",
                              "speedup_*",      "energy_*",     "setup_time",        "*_roof",
                              "part_*",         "split_share",  "solve_share",       "rhs_time_*",
                              "spread",         "amdahl_limit", "slope_n",           "slope_dt",
                              "crossover_n",    "occupancy",    "rrms_limit",        "error_at_time",
                              "error_exponent", "voltage",      "launches_per_step", "reference_uncertainty"};

constexpr std::array<std::string_view, 6> names{"order", "error",    "rounding",
                                                "count", "quantity", "agreement"};

constexpr std::array<allowance, 6> allowances{
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
     {.absolute = 2, .may_be_lower = true, .reason = "two numbers that each may move by their allowance"}}};

double epsilon_of(std::string_view precision) {
  return precision == "double" ? std::numeric_limits<double>::epsilon()
                               : static_cast<double>(std::numeric_limits<float>::epsilon());
}

}  // namespace

std::string_view to_string(metric_kind kind) {
  return names.at(static_cast<std::size_t>(kind));
}

bool is_left_out(std::string_view metric) {
  return std::any_of(left_out.begin(), left_out.end(),
                     [&](const char* glob) { return matches_glob(glob, metric); });
}

std::optional<metric_kind> kind_of(std::string_view metric) {
  const auto found = std::find_if(named_kinds.begin(), named_kinds.end(),
                                  [&](const named_kind& n) { return matches_glob(n.glob, metric); });
  if (found == named_kinds.end() || is_left_out(metric)) return std::nullopt;
  return found->kind;
}

const allowance& allowance_of(metric_kind kind) {
  return allowances.at(static_cast<std::size_t>(kind));
}

double allowed_distance(metric_kind kind, std::string_view precision, double expected) {
  const auto& a = allowance_of(kind);
  return std::max(a.absolute, a.relative * std::abs(expected) + a.roundings * epsilon_of(precision));
}

}  // namespace reprise::reports
