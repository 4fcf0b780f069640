// SPDX-License-Identifier: MIT
// The angiogenesis paper's experiments.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>

#include "benchmarks/angiogenesis/cases.hpp"
#include "benchmarks/angiogenesis/problems.hpp"
#include "benchmarks/angiogenesis/rates.hpp"
#include "benchmarks/angiogenesis/solves.hpp"
#include "benchmarks/harness/derivation.hpp"
#include "reports/store/parameters.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

using namespace angiogenesis;
using namespace angiogenesis_cases;
using reports::layout;
using reports::row;

// All variants except those of the parameter study.
std::vector<std::string> solver_names() {
  std::vector<std::string> names = variants_of("angiogenesis");
  std::erase_if(names, [](const std::string& name) { return name.ends_with("_study"); });
  return names;
}

std::string reading_of(taxis reading) {
  return fmt::format("reading={}", to_string(reading));
}

// Table 5 and Fig 3: the same run, compared after increasing numbers of steps.
std::vector<case_plan> difference_cases(const plan_request& request, std::vector<int> steps) {
  std::vector<case_plan> plans;
  for (int nodes : nodes_of(request.sizes, {request.level == preset::smoke ? 25 : 400}))
    for (const std::string& name : solver_names())
      for (int count : steps)
        plans.push_back(plan_run(name, {question::difference, taxis::nodal, factoring::once, count},
                                 choice_of(request), nodes,
                                 fmt::format("{};step={}", reading_of(taxis::nodal), count)));
  return plans;
}

std::vector<case_plan> figure_cases(const plan_request& request) {
  if (request.level == preset::smoke) return difference_cases(request, {1, 10, 100});
  // Rounding scatters the errors, so that seven steps tell a root from a straight line, and not from a power near it.
  if (request.level == preset::paper)
    return difference_cases(request, {1, 2, 3, 5, 7, 10, 14, 20, 30, 40, 55, 70, 85, 100});
  return difference_cases(request, {1, 2, 5, 10, 20, 50, 100});
}

// Adds the discretisations that conserve mass differently, and the number of steps that the paper times.
std::vector<case_plan> table_cases(const plan_request& request) {
  const std::vector<int> steps =
      request.level == preset::smoke ? std::vector{1, 100} : std::vector{1, 10, 50, 100};
  std::vector<case_plan> plans = difference_cases(request, steps);
  for (int nodes : nodes_of(request.sizes, {request.level == preset::smoke ? 25 : 400})) {
    for (taxis reading : {taxis::analytic, taxis::conservative})
      plans.push_back(plan_run("cpu_structured", {question::difference, reading, factoring::once, 100},
                               choice_of(request), nodes, fmt::format("{};step=100", reading_of(reading))));
    for (const std::string& name : solver_names())
      plans.push_back(plan_run(name, {question::solve_share, taxis::nodal, factoring::every_solve, 1},
                               choice_of(request), nodes, "factor=every_solve;step=1"));
  }
  return plans;
}

void add_order_cases(std::vector<case_plan>& plans, const plan_request& request, const std::string& name,
                     taxis reading) {
  const std::vector<int> counts =
      request.level == preset::smoke ? std::vector{20, 80, 320} : std::vector{20, 40, 80, 160, 320};
  for (int nodes : nodes_of(request.sizes, {31}))
    for (int count : counts)
      plans.push_back(plan_run(name, {question::error_in_time, reading, factoring::once, count}, {}, nodes,
                               fmt::format("{};steps={}", reading_of(reading), count)));
  for (int nodes : {11, 21, 41})
    plans.push_back(plan_run(name, {question::error_in_space, reading, factoring::once, 0}, {}, nodes,
                             fmt::format("{};grid={}", reading_of(reading), nodes)));
}

// The manufactured solution vanishes at the wall where the readings differ. The paper's own parameters show
// what each reading makes of it.
void add_halving_cases(std::vector<case_plan>& plans, const std::string& name, taxis reading) {
  constexpr int steps = 400;
  for (int nodes : {26, 51, 101, 201})
    plans.push_back(plan_run(name, {question::error_of_halving, reading, factoring::once, steps}, {}, nodes,
                             fmt::format("{};grid={};of=halving", reading_of(reading), nodes)));
}

// The order belongs to the scheme, not to the solver: one solver measures it for all discretisations of the
// taxis term, the other solvers for one of them.
std::vector<case_plan> order_cases(const plan_request& request) {
  if (!request.settings.empty())
    throw bad_input("angiogenesis/order has parameters and steps of its own: name the other experiments");
  std::vector<case_plan> plans;
  for (taxis reading : all_readings) {
    add_order_cases(plans, request, "cpu_structured", reading);
    add_halving_cases(plans, "cpu_structured", reading);
  }
  for (const std::string& name : solver_names())
    if (name != "cpu_structured" && request.level != preset::smoke)
      add_order_cases(plans, request, name, taxis::nodal);
  for (case_plan& plan : plans) plan.runs_once = true;
  return plans;
}

// Table 2 and Fig 2: the paper's two programs, and faster ways to make the same solve.
std::vector<case_plan> growth_cases(const plan_request& request) {
  const auto nodes =
      by_preset<std::vector<int>>(request.level, {10, 15, 25}, {25, 50, 100, 200, 400, 500, 512},
                                  {25, 50, 75, 100, 150, 200, 250, 300, 400, 500, 512, 800});
  const std::array names{"cpu_elimination", "cuda_elimination", "cuda_blocked",  "cuda_on_chip",
                         "cusolver_lu",     "cusolver_xgetrf",  "cusolver_gesv", "cpu_structured"};
  return plans_for(nodes_of(request.sizes, nodes), names, [&](int m, const std::string& name) {
    return plan_solve(name, choice_of(request), m, {.when = factoring::every_solve});
  });
}

std::vector<case_plan> kernel_cases(const plan_request& request) {
  return plans_for(nodes_of(request.sizes, {request.level == preset::smoke ? 25 : 400}),
                   std::array{"pivot", "swap", "eliminate"}, [&](int m, const std::string& kernel) {
                     return plan_kernel(kernel, choice_of(request), m);
                   });
}

std::vector<case_plan> split_cases(const plan_request& request) {
  const auto usual = request.level == preset::smoke ? std::vector{25} : std::vector{25, 400};
  return plans_for(nodes_of(request.sizes, usual), solver_names(), [&](int m, const std::string& name) {
    return plan_solve(name, choice_of(request), m, {.when = factoring::every_solve, .is_watched = true});
  });
}

// Whether the variant's file is for CUDA, so that its right-hand sides may stay on the device.
bool is_for_cuda(const std::string& name) {
  return std::ranges::any_of(manifest(), [&](const manifest_entry& e) {
    return e.id == "angiogenesis/" + name && e.needs == backend::cuda;
  });
}

// Each solver with b and x on the host; those for CUDA also with both on the device.
std::vector<case_plan> library_cases(const plan_request& request) {
  const auto nodes = by_preset<std::vector<int>>(request.level, {25}, {400}, {400, 1200});
  std::vector<case_plan> plans;
  for (int m : nodes_of(request.sizes, nodes))
    for (factoring when : all_factorings)
      for (const std::string& name : solver_names())
        for (const vectors where : {vectors::on_host, vectors::on_device})
          if (where == vectors::on_host || is_for_cuda(name))
            plans.push_back(plan_solve(name, choice_of(request), m, {.when = when, .where = where}));
  return plans;
}

std::vector<case_plan> study_cases(const plan_request& request) {
  const bool is_smoke = request.level == preset::smoke;
  return plans_for(nodes_of(request.sizes, {is_smoke ? 25 : 400}),
                   std::array{"cuda_study", "cusparse_study", "opencl_study", "cpu_study"},
                   [&](int m, const std::string& name) {
                     return plan_study(name, choice_of(request), m, is_smoke ? 16 : 10'000, 100);
                   });
}

// Adds the log-log slope of each line with its interval, multiplied by `sign`.
void add_slopes(std::vector<row>& all, const std::vector<line>& lines, double floor,
                const std::string& metric, int sign) {
  for (const line& l : lines) {
    checkers::fitted_order fit = checkers::fit_order(l.x, l.y, floor);
    if (std::isnan(fit.order)) continue;
    if (sign < 0) fit = {-fit.order, -fit.high, -fit.low, fit.points, {}};
    all.push_back(fitted(l.last, metric, fit));
    all.back().parameter = reports::parameters(l.last.parameter).only("reading").text();
  }
}

// Takes the grid out of the row and returns its number of intervals, M - 1, since h = 1/(M - 1).
double take_cells(row& r) {
  r.size.clear();
  return parameter_number("grid")(r) - 1;
}

std::vector<row> orders(std::span<const row> rows) {
  // The fits use the numbers of steps and of intervals, which are proportional to 1/dt and 1/h, so the orders
  // are the negative slopes.
  std::vector<row> all;
  add_slopes(all, lines_over(parameter_number("steps"), rows, "error_time"), 1e-11, "order_time", -1);
  add_slopes(all, lines_over(take_cells, rows, "error_space"), 1e-12, "order_space", -1);
  add_slopes(all, lines_over(take_cells, rows, "error_halving"), 1e-12, "order_halving", -1);
  add_slopes(all, lines_over(take_cells, rows, "error_halving_mean"), 1e-12, "order_halving_mean", -1);
  return all;
}

std::vector<row> error_growth(std::span<const row> rows) {
  std::vector<row> all;
  add_slopes(all, lines_over(parameter_number("step"), rows, "relative_error"), 0, "error_exponent", 1);
  return all;
}

std::vector<experiment> timings() {
  const std::string solved =
      "One solve of A x = b, A the step's matrix at its defaults, factorised in each; b and x on the host.";
  return {
      table("angiogenesis/table2", "Table 2: time of a solve against the grid",
            solved + " The paper's table is lost; its M run from 25 to 800.",
            {solve_metric, "speedup_over_serial", "spread", "gflops", "row_swaps"}, growth_cases, speedups),
      {{.id = "angiogenesis/fig2",
        .title = "Fig 2: time of a solve against the grid, its exponents and Amdahl's limit",
        .note = solved,
        .shape = layout::kind::figure,
        .metrics = {solve_metric, "speedup_over_serial"},
        .x_label = "M (nodes of each field)",
        .log_x = true,
        .log_y = true,
        .published_in = "angiogenesis/table2"},
       growth_cases,
       exponents},
      table("angiogenesis/table3", "Table 3: the kernels of the paper's program, each alone",
            "On the first column of the matrix. Counters of utilisation need a profiler: "
            "bytes and flops are counted, each value read and written once, over a launch.",
            {"occupancy", "bandwidth_kernel", "share_of_copy_roof", "gflops", "share_of_flops_roof",
             "share_of_binding_roof", "share_of_time"},
            kernel_cases, kernel_rates),
      table("angiogenesis/table4", "Table 4: where the time of a solve goes",
            solved + " Kernels are watched by events, which costs the paper's program "
                     "some time of its own; its pivots' rows, read in each step, count as "
                     "synchronisation.",
            {solve_metric, "split_share", "time_part", "tflops_paper"}, split_cases, split),
      table("angiogenesis/table6", "Table 6: the solvers and libraries side by side",
            "As Table 2, and with the matrix factorised once. bus_bytes is what crosses the bus in a solve. "
            "With "
            "vectors=device b and x stay on the device. MAGMA is among them where it is installed; hybrid_lu "
            "works as it does. AmgX is not: hypre_gmres and amgcl_gmres work as it does.",
            {solve_metric, "bus_bytes", "launch_floor", "time_to_solution", "iterations",
             "max_relative_error", "backward_error"},
            library_cases, speedups),
      table("angiogenesis/study", "A study of 10000 parameter sets",
            "100 steps of 0.001 each, parameters up to a fifth off their defaults; every "
            "member is compared with the host's.",
            {study_metric, "max_difference", "gflops", "share_of_flops_roof"}, study_cases),
  };
}

std::vector<experiment> accuracies() {
  const std::string compared =
      "100 steps of 0.001 from the step of C, each solver against the paper's CPU code in the same run; "
      "factorised once. The paper's table is lost.";
  return {
      table("angiogenesis/order", "Order of convergence in time and in space",
            "In time against the semi-discrete solution, in space against a manufactured "
            "one; fitted slopes. By halving: with the default parameters from a smooth start, against the "
            "grid of half the spacing, the largest value's distance and the mean one of C.",
            {"order_time", "order_space", "order_halving", "order_halving_mean"}, order_cases, orders),
      table("angiogenesis/table5", "Table 5: agreement of the solvers, and conservation",
            compared + " The mass defect is what growth does not account for.",
            {"relative_error", "mass_difference", "mass_defect", "solve_share", "largest_backward_error"},
            table_cases),
      {{.id = "angiogenesis/fig3",
        .title = "Fig 3: difference from the paper's CPU code against the step",
        .note = compared,
        .shape = layout::kind::figure,
        .metrics = {"relative_error", "mass_difference"},
        .x = "parameter:step",
        .x_label = "time step",
        .log_y = true,
        .has_linear_x = true},
       figure_cases,
       error_growth},
  };
}

family make_family() {
  family f;
  f.word = "angiogenesis";
  f.title = "A GPU-CUDA numerical algorithm for solving a biological model";
  f.settings = setting_names();
  f.read_parameters = [](const std::filesystem::path& file) {
    const parameters with = read_parameters(file);
    std::map<std::string, double> settings;
    for (const auto& [name, member] : parameter_names) settings.emplace(name, with.*member);
    return settings;
  };
  f.sizes = {size_form::nodes, "give the number of nodes, for example 400"};
  f.verify = verify_variant;
  f.experiments = joined({timings(), accuracies()});
  // Kernels alone run through the columns of a solve instead of the first one, and the occupancy is a launch's own.
  f.metric_versions["occupancy"] = 2;
  for (const char* const metric : {"time_200_launches", "bandwidth_logical", "bandwidth_compulsory",
                                   "bandwidth_kernel", "gflops", "share_of_copy_roof", "share_of_flops_roof"})
    f.metric_versions[std::string("table3/") + metric] = 2;
  return f;
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
