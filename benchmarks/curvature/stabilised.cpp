// SPDX-License-Identifier: MIT
// Compares a stabilised method with Merson's at the errors of Tables 3 and 4.
#include "benchmarks/curvature/stabilised.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "benchmarks/curvature/cases.hpp"
#include "benchmarks/harness/derivation.hpp"
#include "reports/store/parameters.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::harness::curvature_cases {
namespace {

using curvature::flow;
using reports::row;

std::vector<grid_size> sizes_of(flow motion, preset level) {
  if (motion == flow::willmore) return by_preset(level, squares({16}), squares({32}), squares({32, 64, 128}));
  return by_preset(level, squares({32}), squares({64, 128}), squares({64, 128, 256, 512, 1024}));
}

std::vector<double> tolerances_of(const plan_request& request) {
  if (const auto eps = request.setting("eps")) return {*eps};
  return by_preset<std::vector<double>>(request.level, {1e-4}, {usual_eps, 1e-4}, {usual_eps, 1e-5, 1e-4});
}

// One variant of Merson's method for processors, and those that are fastest on small and on large grids of a GPU.
std::vector<std::string> compared_variants() {
  std::vector<std::string> all = variants_of("curvature");
  std::erase_if(all, [](const std::string& name) { return !curvature::is_stabilised(name); });
  all.insert(all.end(), {"openmp", "cuda_fused", "cuda_resident"});
  return all;
}

// Whether each error norm is the same within a tenth, the least difference that the paper's text calls one.
bool has_errors_of(std::span<const row> rows, const row& a, const row& b) {
  constexpr double same = 1.1;
  return std::ranges::all_of(std::array{"error_l1", "error_l2", "error_linf"}, [&](const char* norm) {
    const auto error_of = [&](const row& of) -> std::optional<double> {
      for (const row& r : rows)
        if (is_right(r, norm) && same_case(r, of)) return r.value;
      return {};
    };
    const auto of_a = error_of(a);
    const auto of_b = error_of(b);
    return of_a && of_b && *of_a <= same * *of_b && *of_b <= same * *of_a;
  });
}

bool is_same_problem(const row& a, const row& b) {
  const auto without_eps = [](const row& r) {
    return reports::parameters(r.parameter).without("eps").text();
  };
  return a.size == b.size && a.precision == b.precision && without_eps(a) == without_eps(b);
}

// The row with the smallest value among those of Merson's method with the errors of `own`.
const row* cheapest(std::span<const row> rows, const row& own, bool on_same_device) {
  const row* least = nullptr;
  for (const row& r : rows)
    if (is_right(r, own.metric) && !curvature::is_stabilised(r.variant) && is_same_problem(r, own) &&
        (!on_same_device || r.device == own.device) && (least == nullptr || r.value < least->value) &&
        has_errors_of(rows, r, own))
      least = &r;
  return least;
}

}  // namespace

std::vector<case_plan> stabilised_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  for (const flow motion : curvature::all_flows)
    for (const double eps : tolerances_of(request)) {
      task t = table_task(motion, precision::double_);
      t.eps = eps;
      for (case_plan& plan :
           plans_for(request.sizes_or(sizes_of(motion, request.level)), compared_variants(),
                     [&](const grid_size&size, const auto&name) { return plan_solve(name, t, size); }))
        plans.push_back(std::move(plan));
    }
  return plans;
}

std::vector<row> savings(std::span<const row> rows) {
  std::vector<row> all;
  const auto add_saving = [&](const row& own, const char* metric, bool on_same_device) {
    const row* const merson = cheapest(rows, own, on_same_device);
    if (merson == nullptr) return;
    all.push_back(derived(
        own, metric, merson->value / own.value, "1",
        fmt::format("{}, {}, whose errors are the same within a tenth", merson->variant, merson->parameter)));
  };
  for (const row& r : rows) {
    if (!curvature::is_stabilised(r.variant)) continue;
    if (is_right(r, "rhs_evaluations")) add_saving(r, "evaluations_saved", false);
    if (is_right(r, time_metric)) add_saving(r, "time_saved", true);
  }
  return all;
}

}  // namespace reprise::harness::curvature_cases
