// SPDX-License-Identifier: MIT
// The curvature paper's experiments: the variants and grids of each table and figure, and
// rates in the paper's accounting.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "benchmarks/curvature/cases.hpp"
#include "benchmarks/curvature/stabilised.hpp"
#include "benchmarks/harness/derivation.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/curvature/variant.hpp"
#include "verification/curvature/check.hpp"
#include "verification/curvature/trajectory.hpp"

namespace reprise::harness {
namespace {

namespace check = verification::curvature;
using namespace curvature_cases;
using curvature::boundary;
using curvature::flow;
using curvature::is_stabilised;
using curvature::problem;
using reports::layout;
using reports::row;

using names = std::vector<std::string>;

// All variants in solvers/curvature that work on one device by the paper's method, found by their files: a
// new variant needs no line here.
names everything() {
  names all = variants_of("curvature");
  std::erase_if(all, [](const std::string& name) { return is_on_ranks(name) || is_stabilised(name); });
  return all;
}

std::vector<grid_size> table_sizes(flow motion, preset level) {
  if (motion == flow::willmore)
    return level == preset::smoke ? squares({16}) : squares({16, 32, 64, 128, 256});
  return level == preset::smoke ? squares({16, 32}) : squares({16, 32, 64, 128, 256, 512, 1024});
}

auto table_cases(flow motion, precision arithmetic) {
  return [=](const plan_request& request) {
    const task t = with_settings(table_task(motion, arithmetic), request);
    return plans_for(request.sizes_or(table_sizes(motion, request.level)), everything(),
                     [&](const grid_size& size, const auto& name) { return plan_solve(name, t, size); });
  };
}

// Willmore flow in both precisions, on grids on which rounding, amplified by h^-4, reaches the spatial error.
std::vector<case_plan> precision_cases(const plan_request& request) {
  const auto sizes = request.level == preset::smoke ? squares({16}) : squares({32, 64, 128});
  std::vector<case_plan> plans;
  for (const precision arithmetic : {precision::single, precision::double_}) {
    const task t = with_settings(table_task(flow::willmore, arithmetic), request);
    for (case_plan& plan :
         plans_for(request.sizes_or(sizes), std::array{"openmp", "cuda_merson"},
                   [&](const grid_size&size, const auto&name) { return plan_solve(name, t, size); }))
      plans.push_back(std::move(plan));
  }
  return plans;
}

std::vector<grid_size> evolution_sizes(preset level) {
  return level == preset::smoke ? squares({32}) : squares({128});
}

std::vector<case_plan> evolution_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  for (const grid_size& size : request.sizes_or(evolution_sizes(request.level)))
    for (const auto& [motion, arithmetic] : {std::pair{flow::mean_curvature, precision::single},
                                             {flow::mean_curvature, precision::double_},
                                             {flow::willmore, precision::double_},
                                             {flow::willmore, precision::single}})  // the paper omits it
      for (const std::string& name : everything()) {
        const task t = with_settings(evolution_task(motion, arithmetic, false), request);
        plans.push_back(plan_solve(name, t, size));
      }
  return plans;
}

// The paper's grid, and one that every machine can afford.
auto figure_cases(flow motion) {
  return [motion](const plan_request& request) {
    const task t = with_settings(evolution_task(motion, precision::double_, true), request);
    const auto sizes = request.level == preset::smoke ? squares({32}) : squares({128, 32});
    return plans_for(request.sizes_or(sizes), std::array{"cuda_resident", "openmp"},
                     [&](const grid_size& size, const auto& name) { return plan_solve(name, t, size); });
  };
}

// Experimental orders of convergence, equation (34), between a row and the row with half as many cells.
std::vector<row> orders(std::span<const row> rows) {
  std::vector<row> all;
  for (const char* const norm : {"l1", "l2", "linf"})
    for (const row& fine : rows) {
      if (!is_right(fine, fmt::format("error_{}", norm))) continue;
      const int label = static_cast<int>(reports::width_of(fine.size));
      const std::string coarse_size = fmt::format("{0}x{0}", label / 2);
      for (const row& coarse : rows) {
        if (coarse.metric != fine.metric || coarse.status != "ok" || coarse.size != coarse_size ||
            coarse.variant != fine.variant || coarse.device != fine.device)
          continue;
        const double ratio = 1.0 * cells_of(label) / cells_of(label / 2);
        all.push_back(derived(fine, fmt::format("eoc_{}", norm),
                              std::log(coarse.value / fine.value) / std::log(ratio), "1",
                              "against the grid " + coarse_size));
      }
    }
  return all;
}

std::vector<row> speedups(std::span<const row> rows) {
  std::vector<row> all;
  const speedup over_serial{"curvature/cpu_serial", "speedup_over_serial", "over cpu_serial in this run"};
  const speedup over_openmp{"curvature/openmp", "speedup_over_openmp", "over openmp in this run"};
  for (const row& r : rows) {
    if (!is_right(r, time_metric)) continue;
    add(over_serial, all, rows, r);
    if (r.variant.find("cuda") != std::string::npos) add(over_openmp, all, rows, r);
  }
  return all;
}

// Speed-ups, and GFLOP/s with the paper's count of operations per right-hand side.
std::vector<row> rates(std::span<const row> rows) {
  std::vector<row> all = speedups(rows);
  for (const row& r : rows) {
    if (!is_right(r, time_metric)) continue;
    for (const row& count : rows) {
      if (!is_right(count, "rhs_evaluations") || !same_case(count, r)) continue;
      const auto width = static_cast<int>(reports::width_of(r.size));
      const auto height = static_cast<int>(reports::nodes_of(r.size)) / width;
      const double nodes = (cells_of(width) + 1.0) * (cells_of(height) + 1.0);
      const double flops =
          paper_flops(r.parameter.starts_with("flow=willmore") ? flow::willmore : flow::mean_curvature);
      all.push_back(
          derived(r, "gflops_paper", flops * nodes * count.value / r.value * 1e-9, "GFLOP/s",
                  fmt::format("{} a node and evaluation, as section 4.3 counts, without forcing", flops)));
    }
  }
  return all;
}

// Table 1: each kernel of the faithful variant.
std::vector<case_plan> kernel_cases(const plan_request& request) {
  const names kernels{
      "sums", "error", "mean_curvature", "willmore", "forcing_mean_curvature", "forcing_willmore"};
  return plans_for(request.sizes_or(squares({request.level == preset::smoke ? 64 : 512})), kernels,
                   [](const grid_size& size, const std::string& kernel) {
                     const bool is_willmore = kernel.ends_with("willmore");
                     return plan_kernel(kernel, is_willmore ? flow::willmore : flow::mean_curvature, size);
                   });
}

// The compulsory bandwidth under the paper's name, and the share of an attempted
// step that right-hand sides take.
std::vector<row> kernel_rates(std::span<const row> rows) {
  std::vector<row> all;
  std::map<std::pair<std::string, std::string>, std::map<std::string, double>> seconds;
  for (const row& r : rows) {
    if (is_right(r, "bandwidth_compulsory"))
      all.push_back(derived(r, "bandwidth_kernel", r.value, r.unit, "each value read and written once"));
    if (is_right(r, kernel_metric)) seconds[{r.device, r.size}][r.parameter] = r.value;
  }
  for (const row& r : rows) {
    if (!is_right(r, kernel_metric) || r.parameter != "kernel=mean_curvature") continue;
    auto& of = seconds[{r.device, r.size}];
    if (!of.contains("kernel=sums") || !of.contains("kernel=error") ||
        !of.contains("kernel=forcing_mean_curvature"))
      continue;
    const double rhs = 5 * (of["kernel=mean_curvature"] + of["kernel=forcing_mean_curvature"]);
    const double others = 5 * of["kernel=sums"] + of["kernel=error"];
    row share = derived(r, "rhs_time_share", 100 * rhs / (rhs + others), "%",
                        "of an attempt's kernels: five right-hand sides with forcing, five sums, one error");
    share.parameter.clear();
    all.push_back(share);
  }
  return all;
}

experiment surfaces(const std::string& name, const std::string& title, flow motion) {
  layout l{.id = "curvature/" + name,
           .title = title,
           .note = "Neumann borders, from sin(3 pi r) on [-2, 2]^2, double precision, eps 5e-7.",
           .shape = layout::kind::fields,
           .metrics = {time_metric}};
  l.columns = {"t=0"};
  for (double t : evolution_task(motion, precision::double_, true).times)
    l.columns.push_back(fmt::format("t={:g}", t));
  l.quantity = "u";
  return {std::move(l), figure_cases(motion), {}};
}

verified_case verify_case(curvature::solver& s, const std::string& motion, const problem& p,
                          precision arithmetic, bool to_the_end) {
  return verified(motion, [&] {
    s.load(p, arithmetic);
    return to_the_end ? check::verify(s, check::run_expectation(p, s.method()), arithmetic)
                      : check::verify(s, *check::expect_steps(p, check::start::skew, s.method()), arithmetic);
  });
}

// A single inner node; grids that are not square; one cell fewer and one more than a tile or a strip; more
// than one strip; more nodes than one block can reduce to the largest error; and something larger. Under mean
// curvature, some CUDA variants cut grids into strips that are large for the device's number of multiprocessors, and
// number the strips in another order where a stage's fields are larger than the cache.
std::vector<grid_size> verified_cells(const device& d, flow motion) {
  std::vector<grid_size> sizes{{2, 2}, {3, 2}, {21, 14}, {33, 9}, {33, 65}, {66, 7}};
  const bool has_strips = motion == flow::mean_curvature;
  if (d.kind == backend::emulated) {
    if (has_strips) sizes.push_back({66, 490});
    return sizes;
  }
  sizes.insert(sizes.end(), {{54, 54}, {55, 54}, {56, 55}, {63, 66}, {64, 70}, {65, 33}, {130, 301}});
  if (has_strips && d.kind == backend::cuda) sizes.insert(sizes.end(), {{1030, 720}, {1930, 1010}});
  return sizes;
}

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes) {
  const auto s = dynamic_cast<const variant_of<curvature::solver>&>(v).make(d);
  std::vector<verified_case> results;
  for (flow motion : curvature::all_flows) {
    const std::vector<grid_size> own = verified_cells(d, motion);
    for (boundary at_border : curvature::all_boundaries)
      for (precision arithmetic : v.data.precisions) {
        const std::string kind =
            fmt::format("{} {} {}", to_string(motion), to_string(at_border), to_string(arithmetic));
        for (const grid_size& size : sizes.empty() ? std::span<const grid_size>(own) : sizes)
          results.push_back(verify_case(*s,
                                        fmt::format("{} {}x{} cells, {} steps", kind, size.width, size.height,
                                                    check::stepwise_expectation::steps),
                                        skew_problem(motion, at_border, size.width, size.height), arithmetic,
                                        false));
        if (sizes.empty())
          results.push_back(verify_case(*s, kind + " 13x10 cells, adaptive",
                                        skew_problem(motion, at_border, 13, 10), arithmetic, true));
        if (sizes.empty())
          results.push_back(verified(kind + " 13x10 cells, attempt by attempt", [&] {
            const problem p = skew_problem(motion, at_border, 13, 10);
            s->load(p, arithmetic);
            return check::verify_sequence(*s, p, arithmetic);
          }));
      }
  }
  if (!sizes.empty()) return results;
  for (flow motion : curvature::all_flows)
    for (precision arithmetic : v.data.precisions)
      results.push_back(verified(fmt::format("{} {} guards", to_string(motion), to_string(arithmetic)),
                                 [&] { return check::verify_guards(*s, motion, arithmetic); }));
  return results;
}

family make_family() {
  const names errors{"error_l1", "eoc_l1", "error_l2", "eoc_l2", "error_linf", "eoc_linf"};
  const names times{time_metric,           "gflops_paper",        "gflops",
                    "speedup_over_serial", "speedup_over_openmp", "accepted_steps",
                    "rejected_steps",      "share_of_copy_roof",  "share_of_binding_roof"};
  const std::string measured =
      "T = 0.1 in 20 intervals, eps 5e-7, against the exact solution. Row 16 has 15 cells.";
  const std::string timed =
      "Time of the whole solve to T = 0.1, no set-up and no transfer. The paper's GFLOPS count the forcing, "
      "which it does not give; ours are 85 or 303 flops a node and evaluation.";
  family f{"curvature",
           "The CUDA implementation of the method of lines for the curvature dependent flows",
           {},
           {"eps"},
           verify_variant};
  f.experiments = {
      table("curvature/table3", "Table 3: errors of mean-curvature flow, double precision", measured, errors,
            table_cases(flow::mean_curvature, precision::double_), orders),
      table("curvature/table2", "Table 2: errors of mean-curvature flow, single precision", measured, errors,
            table_cases(flow::mean_curvature, precision::single), orders),
      table("curvature/table4", "Table 4: errors of Willmore flow, double precision", measured, errors,
            table_cases(flow::willmore, precision::double_), orders),
      table(
          "curvature/table1", "Table 1: occupancy and throughput of each kernel",
          "Double precision. Occupancy from the runtime's calculator; bytes read and written once, over a "
          "launch.",
          {"occupancy", "bandwidth_kernel", "share_of_copy_roof", "share_of_binding_roof", "rhs_time_share"},
          kernel_cases, kernel_rates),
      table("curvature/table5", "Table 5: time of mean-curvature flow, single precision", timed, times,
            table_cases(flow::mean_curvature, precision::single), rates),
      table("curvature/table6", "Table 6: time of mean-curvature flow, double precision", timed, times,
            table_cases(flow::mean_curvature, precision::double_), rates),
      table("curvature/table7", "Table 7: time of Willmore flow, double precision",
            timed + " Row 256 of the paper's CPU columns lacks a digit.", times,
            table_cases(flow::willmore, precision::double_), rates),
      table("curvature/table8", "Table 8: time of the evolutions of Figs 1 and 2",
            "To t = 0.5 for mean-curvature and t = 0.1 for Willmore flow, as the figures end.",
            {time_metric, "speedup_over_serial", "speedup_over_openmp", "accepted_steps", "rejected_steps"},
            evolution_cases, speedups),
      table("curvature/precisions", "Section 5: Willmore flow in single precision, which the paper omits",
            measured, {"error_l1", "error_l2", "error_linf", "accepted_steps", "rejected_steps"},
            precision_cases, {}),
      table(
          "curvature/stabilised", "Beyond the tables: a stabilised method",
          measured +
              " Runge-Kutta-Chebyshev of second order (Sommeijer et al. 1998) beside Merson's method, double "
              "precision, over tolerances. Saved: how many times as many evaluations, or as much time, the "
              "cheapest of Merson's runs takes whose errors are the same within a tenth.",
          {time_metric, "accepted_steps", "rejected_steps", "rhs_evaluations", "error_l1", "error_l2",
           "error_linf", "evaluations_saved", "time_saved"},
          stabilised_cases, savings),
      surfaces("fig1", "Fig 1: evolution by mean-curvature flow", flow::mean_curvature),
      surfaces("fig2", "Fig 2: evolution by Willmore flow", flow::willmore),
  };
  f.metric_versions["occupancy"] = 2;  // of the launch that was made, not the most that a kernel can have
  return f;
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
