// SPDX-License-Identifier: MIT
// Plans runs in single and in double precision: errors over the step, times of steps, and spirals.
#include "benchmarks/tissue/precisions.hpp"

#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "benchmarks/tissue/cases.hpp"
#include "benchmarks/tissue/rows.hpp"

namespace reprise::harness::tissue_cases {
namespace {

using tissue::method;
using tissue::model;
using names = std::vector<std::string>;

constexpr std::array both{precision::single, precision::double_};

// Variants differ by rounding alone. The second one is for devices other than CUDA's, and in the preset paper a third one
// has the paper's kernels.
names compared_variants(method how, preset level) {
  if (level == preset::smoke) return {"opencl_fused"};
  if (level == preset::paper) return {"cuda_fused", "opencl_fused", "opencl_stages"};
  return how == method::runge_kutta ? names{"cuda_fused", "opencl_fused"} : names{"cuda_fused"};
}

// Steps that divide every end time, from long ones to those at which rounding outweighs Runge-Kutta's error.
std::vector<double> compared_steps(method how, const plan_request& request) {
  if (request.settings.contains("dt")) return {request.settings.at("dt")};
  if (request.level == preset::smoke) return {.04, .01};
  if (request.level == preset::paper) return {.04, .02, .01, .005, .0025, .00125};
  return how == method::runge_kutta ? std::vector{.04, .01, .0025} : std::vector{.04, .01};
}

void add_solves(std::vector<case_plan>& plans, task t, const plan_request& request) {
  const std::string name = name_of(t);
  for (const double dt : compared_steps(t.method, request))
    for (const std::string& variant : compared_variants(t.method, request.level)) {
      t.dt = dt;
      t.has_derivative = t.method == method::runge_kutta && dt == tissue_rows::real_time_dt;
      plans.push_back(plan_solve(variant, t, {24, 24}, fmt::format("{};dt={:g}", name, dt)));
    }
}

// On the paper's grid and on larger ones, for which one variant is made.
void add_steps(std::vector<case_plan>& plans, const task& t, const plan_request& request) {
  const bool is_smoke = request.level == preset::smoke;
  const auto sizes = [&](const std::string& variant) {
    if (is_smoke) return squares({32});
    if (request.level == preset::paper) return squares({256, 1024, 4096});
    return variant == "cuda_fused" ? squares({256, 1024})
                                   : squares({variant == "cuda_streamed" ? 1024 : 256});
  };
  names variants = compared_variants(t.method, request.level);
  if (!is_smoke) variants.insert(variants.begin() + 1, "cuda_streamed");
  for (const std::string& variant : variants)
    for (const grid_size& size : request.sizes_or(sizes(variant)))
      plans.push_back(plan_steps(variant, t, size, name_of(t)));
}

std::vector<case_plan> precision_cases(const plan_request& request) {
  const bool is_smoke = request.level == preset::smoke;
  std::vector<case_plan> plans;
  for (const model what : tissue::all_models)
    for (const method how : tissue::all_methods)
      for (const precision arithmetic : both) {
        const bool is_best = how == method::runge_kutta;
        if (!has_method(what, how) || (is_smoke && !(is_best && what == model::karma))) continue;
        const task t{.model = what,
                     .method = how,
                     .dt = tissue_rows::real_time_dt,
                     .dx = request.setting("dx").value_or(0),
                     .arithmetic = arithmetic};
        add_solves(plans, t, request);
        if (is_best) add_steps(plans, t, request);
      }
  if (is_smoke) return plans;
  for (const precision arithmetic : both)
    plans.push_back(plan_spiral("cuda_fused", model::karma, {256, 256}, arithmetic));
  return plans;
}

reports::layout error_figure() {
  return {
      .id = "tissue/precisions",
      .title = "Section 1: what single precision costs and gains",
      .note =
          "Relative L2 error of u after 10 (FitzHugh-Nagumo), 4 ms (Karma), 2 ms (Bueno-Orovio) from a hill "
          "of u. Further rows have the distance from the same steps in double precision, the times of both, "
          "and Karma's spiral after 400 ms.",
      .shape = reports::layout::kind::figure,
      .metrics = {"error_u"},
      .x = "parameter:dt",
      .panel_by = "precision",
      .colour_by = "method",
      .x_label = "time step (ms)",
      .y_label = "relative error of u",
      .log_x = true,
      .log_y = true};
}

}  // namespace

experiment precisions_experiment() {
  return {error_figure(), precision_cases, tissue_rows::precision_rows};
}

}  // namespace reprise::harness::tissue_cases
