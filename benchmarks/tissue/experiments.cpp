// SPDX-License-Identifier: MIT
// The experiments of the tissue paper: figures 3 to 7, Table 1, the proposals of section 6, and the cause of
// Runge-Kutta's observed order.
#include <fmt/core.h>

#include <cmath>
#include <map>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/tissue/cases.hpp"
#include "benchmarks/tissue/precisions.hpp"
#include "benchmarks/tissue/rows.hpp"
#include "benchmarks/tissue/verified_problems.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::harness {
namespace {

using namespace tissue_cases;
using namespace tissue_rows;
using reports::layout;
using tissue::method;
using tissue::model;
using tissue::switch_form;
using names = std::vector<std::string>;

task task_of(model what, method how, double dt, const plan_request& request) {
  return {.model = what, .method = how, .dt = dt, .dx = request.setting("dx").value_or(0)};
}

std::vector<method> general_methods(const plan_request& request) {
  if (request.level == preset::smoke) return {method::runge_kutta};
  return {method::euler, method::heun, method::runge_kutta};
}

// The name of steps: the step length is appended unless it is the usual one.
std::string name_of_steps(const task& t) {
  return t.dt == real_time_dt ? name_of(t) : fmt::format("{};dt={:g}", name_of(t), t.dt);
}

// Fig 4: time against the step.
std::vector<case_plan> fig4_cases(const plan_request& request) {
  std::vector<double> steps{1e-4, 1e-3, real_time_dt};
  if (request.level == preset::paper) steps = {1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, real_time_dt};
  if (request.settings.contains("dt")) steps = {request.settings.at("dt")};
  std::vector<case_plan> plans;
  for (const grid_size& size : request.sizes_or(squares({request.level == preset::smoke ? 32 : 256})))
    for (method how : general_methods(request))
      for (double dt : steps) {
        const task t = task_of(model::karma, how, dt, request);
        for (const std::string& variant : variants_of("tissue"))
          plans.push_back(plan_steps(variant, t, size, fmt::format("{};dt={:g}", name_of(t), dt)));
      }
  return plans;
}

// Fig 5: time against the grid.
std::vector<case_plan> fig5_cases(const plan_request& request) {
  std::vector<grid_size> sizes = squares({16, 64, 256, 1024, 4096});
  if (request.level == preset::smoke) sizes = squares({16, 32, 64});
  if (request.level == preset::paper) sizes = squares({16, 32, 64, 128, 256, 512, 1024, 2048, 4096});
  std::vector<case_plan> plans;
  for (const grid_size& size : request.sizes_or(sizes))
    for (method how : general_methods(request)) {
      const task t = task_of(model::karma, how, request.setting("dt").value_or(real_time_dt), request);
      for (const std::string& variant : variants_of("tissue"))
        plans.push_back(plan_steps(variant, t, size, name_of_steps(t)));
    }
  return plans;
}

// Variants whose errors are measured. All variants take the same steps, so a few represent the others.
names measured_variants(const plan_request& request) {
  if (request.level == preset::smoke) return {"openmp", "opencl_stages", "cuda_fused"};
  return {"openmp", "opencl_stages", "opencl_fused", "cuda_fused", "cuda_resident"};
}

std::vector<grid_size> solved_sizes(const plan_request& request) {
  return request.sizes_or({request.level == preset::paper ? grid_size{64, 48} : grid_size{24, 24}});
}

// Steps that divide every end time. Runge-Kutta's asymptotic range is short, between the first steps that resolve the
// switches and the floor of rounding, and needs five steps. Where no cell meets a kink, errors fall to the floor
// early, so that range begins with longer steps.
std::vector<double> solved_steps(const task& t, const plan_request& request) {
  if (request.settings.contains("dt")) return {request.settings.at("dt")};
  const bool is_fine = t.method == method::runge_kutta;
  if (t.from == start::lifted && is_fine) return {.16, .1, .08, .05, .04, .02, .01};
  const bool is_smoke = request.level == preset::smoke;
  // Longer ones for the longest run, so that five are affordable with several launches a step.
  if (is_smoke && t.model == model::fitzhugh_nagumo && t.method != method::euler)
    return {.04, .025, .02, .0125, .01};
  if (is_smoke)
    return is_fine ? std::vector{.04, .02, .01, .008, .005} : std::vector{.04, .02, .01, .005, .0025};
  if (is_fine) return {.04, .02, .01, .008, .005, .004, .0025, .002, .00125};
  return {.04, .02, .01, .005, .0025, .00125};
}

void add_solve(std::vector<case_plan>& plans, task t, double dt, const std::string& name,
               const plan_request& request) {
  t.dt = dt;
  for (const grid_size& size : solved_sizes(request))
    for (const std::string& variant : measured_variants(request))
      plans.push_back(plan_solve(variant, t, size, fmt::format("{};dt={:g}", name, dt)));
}

void add_solves(std::vector<case_plan>& plans, const task& t, const std::string& name,
                const plan_request& request) {
  for (const double dt : solved_steps(t, request)) add_solve(plans, t, dt, name, request);
}

std::vector<case_plan> error_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  for (model what : tissue::all_models)
    for (method how : tissue::all_methods) {
      const task t = task_of(what, how, 0, request);
      if (has_method(what, how)) add_solves(plans, t, name_of(t), request);
    }
  return plans;
}

std::vector<case_plan> fig6_cases(const plan_request& request) {
  std::vector<case_plan> plans = error_cases(request);
  // Only these steps are short enough to reach the floor of rounding.
  const task smooth = task_of(model::fitzhugh_nagumo, method::runge_kutta, 0, request);
  if (request.level != preset::smoke && !request.settings.contains("dt"))
    for (const double dt : {.000625, .0003125}) add_solve(plans, smooth, dt, name_of(smooth), request);
  for (method how : {method::euler, method::implicit_euler, method::rush_larsen})
    for (const grid_size& size : solved_sizes(request))
      for (const std::string& variant : measured_variants(request))
        plans.push_back(plan_search(variant, task_of(model::bueno_orovio, how, real_time_dt, request), size));
  return plans;
}

// Errors, and the time of a step on the paper's grid.
std::vector<case_plan> fig7_cases(const plan_request& request) {
  std::vector<case_plan> plans = error_cases(request);
  const int side = request.level == preset::smoke ? 32 : 256;
  for (model what : tissue::all_models)
    for (method how : tissue::all_methods) {
      if (!has_method(what, how)) continue;
      const task t = task_of(what, how, real_time_dt, request);
      for (const std::string& variant : measured_variants(request))
        plans.push_back(plan_steps(variant, t, {side, side}, name_of(t)));
    }
  return plans;
}

// The steps of a method from the longest stable one, which divides the end time into `first` steps, to one whose error
// is below 1e-7 with `last` steps. The gates' methods err like Euler's, so they are not followed as far.
struct step_counts {
  double first, last;
};

step_counts counts_of(model what, method how) {
  const bool is_euler = how == method::euler;
  const bool is_heun = how == method::heun;
  if (what == model::fitzhugh_nagumo)
    return is_euler ? step_counts{250, 2.5e7} : is_heun ? step_counts{250, 1e4} : step_counts{182, 728};
  if (what == model::karma)
    return is_euler ? step_counts{21, 1.05e7} : is_heun ? step_counts{21, 8e3} : step_counts{15, 400};
  if (how == method::runge_kutta) return {6, 1600};
  return is_euler ? step_counts{8, 3e7} : is_heun ? step_counts{8, 2e4} : step_counts{8, 5e4};
}

std::vector<double> equal_error_steps(model what, method how, const plan_request& request) {
  if (request.settings.contains("dt")) return {request.settings.at("dt")};
  const auto [first, last] = counts_of(what, how);
  const int count = request.level == preset::smoke ? 3 : 8;
  const double most = request.level == preset::smoke ? 4 * first : last;
  std::vector<double> steps;
  for (int n = 0; n < count; ++n)
    steps.push_back(end_of(what) / std::round(first * std::pow(most / first, n / (count - 1.))));
  return steps;
}

// Times and errors of the same runs on the paper's grid. The paper's own sequence of kernels would take an hour for
// Euler's shortest steps, so it makes those of the other methods.
std::vector<case_plan> equal_error_cases(const plan_request& request) {
  const bool is_smoke = request.level == preset::smoke;
  std::vector<case_plan> plans;
  for (model what : tissue::all_models)
    for (method how : tissue::all_methods) {
      if (!has_method(what, how) || (is_smoke && what != model::karma)) continue;
      const bool is_fast = how == method::heun || how == method::runge_kutta;
      for (const double dt : equal_error_steps(what, how, request)) {
        const task t = task_of(what, how, dt, request);
        for (const grid_size& size : request.sizes_or(squares({is_smoke ? 24 : 256})))
          for (const std::string& variant : measured_variants(request))
            if (variant == "cuda_fused" || (variant == "opencl_stages" && is_fast)) {
              plans.push_back(plan_solve(variant, t, size, fmt::format("{};dt={:g}", name_of(t), dt)));
              plans.back().runs_once = false;  // its time is wanted as well
            }
      }
    }
  return plans;
}

// Figures 4 and 5 for the models that the paper does not show.
std::vector<case_plan> other_models_cases(const plan_request& request) {
  const bool is_smoke = request.level == preset::smoke;
  std::vector<case_plan> plans;
  const auto add = [&](model what, double dt, int side) {
    const task t = task_of(what, method::heun, dt, request);
    for (const std::string& variant : {std::string("opencl_stages"), std::string("cuda_fused")})
      plans.push_back(plan_steps(variant, t, {side, side}, fmt::format("{};dt={:g}", name_of(t), dt)));
  };
  for (model what : {model::fitzhugh_nagumo, model::bueno_orovio}) {
    for (const double dt : {1e-3, real_time_dt}) add(what, dt, is_smoke ? 16 : 256);
    for (const int side : {1024, 2048})
      if (!is_smoke) add(what, real_time_dt, side);
  }
  return plans;
}

std::vector<case_plan> order_cases_of(model what, const plan_request& request) {
  std::vector<case_plan> plans;
  task t = task_of(what, method::runge_kutta, 0, request);
  for (switch_form form : tissue::all_switch_forms) {
    // With Bueno-Orovio's many jumps a reference with error control cannot advance.
    if (what == model::bueno_orovio && form == switch_form::heaviside) continue;
    if (request.level == preset::smoke && form != switch_form::linear && form != switch_form::quintic)
      continue;
    t.form = form;
    add_solves(plans, t, fmt::format("{};switch={}", name_of(t), to_string(form)), request);
  }
  t.form = switch_form::cubic;
  t.from = start::lifted;
  add_solves(plans, t, name_of(t) + ";control=no_kink", request);
  return plans;
}

std::vector<case_plan> order_cases(const plan_request& request) {
  return order_cases_of(model::karma, request);
}

// A reference for each switch takes minutes, so that the smoke preset has none of Bueno-Orovio's.
std::vector<case_plan> order_bo_cases(const plan_request& request) {
  if (request.level == preset::smoke) return {};
  return order_cases_of(model::bueno_orovio, request);
}

std::vector<case_plan> order_figure_cases(const plan_request& request) {
  std::vector<case_plan> plans = order_cases(request);
  for (case_plan& plan : order_bo_cases(request)) plans.push_back(std::move(plan));
  return plans;
}

std::vector<case_plan> spiral_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  const std::map<model, int> sides{
      {model::fitzhugh_nagumo, 384}, {model::karma, 256}, {model::bueno_orovio, 768}};
  for (const auto& [what, side] : sides) {
    const int shown = request.level == preset::smoke ? 32 : side;
    for (const grid_size& size : request.sizes_or(squares({shown})))
      for (const std::string& variant : variants_of("tissue"))
        plans.push_back(plan_spiral(variant, what, size, precision::double_));
  }
  return plans;
}

// The proposals of section 6, one by one.
std::vector<case_plan> section6_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  const int side = request.level == preset::smoke ? 32 : 256;
  const auto add = [&](const task& t, const std::string& name) {
    for (const grid_size& size : request.sizes_or(squares({side})))
      for (const std::string& variant : variants_of("tissue"))
        plans.push_back(plan_steps(variant, t, size, name));
  };
  for (model what : {model::karma, model::bueno_orovio}) {
    const task plain =
        task_of(what, method::runge_kutta, request.setting("dt").value_or(real_time_dt), request);
    add(plain, name_of_steps(plain));
    task changed = plain;
    changed.replaces_tanh = true;
    add(changed, name_of_steps(plain) + ";tanh=switch");
    changed = plain;
    if (what == model::karma) {
      changed.multiplies_powers = false;
      add(changed, name_of_steps(plain) + ";power=pow");
    } else {
      changed.form = switch_form::tanh;
      add(changed, name_of_steps(plain) + ";switch=tanh");
    }
    for (int width : {1, 2, 4, 8}) {
      changed = plain;
      changed.vector_width = width;
      for (const grid_size& size : request.sizes_or(squares({side})))
        plans.push_back(
            plan_steps("openmp", changed, size, fmt::format("{};vector={}", name_of_steps(plain), width)));
    }
  }
  const task two_diffuse = task_of(model::fitzhugh_nagumo, method::runge_kutta, real_time_dt, request);
  add(two_diffuse, name_of_steps(two_diffuse));
  return plans;
}

layout figure(const std::string& name, const std::string& title, const std::string& note, names metrics,
              const std::string& x, const std::string& x_label, const std::string& y_label) {
  return {.id = "tissue/" + name,
          .title = title,
          .note = note,
          .shape = layout::kind::figure,
          .metrics = std::move(metrics),
          .x = x,
          .panel_by = "model",
          .colour_by = "method",
          .x_label = x_label,
          .y_label = y_label,
          .log_x = true,
          .log_y = true};
}

layout order_figure() {
  layout l =
      figure("order_figure", "The open question: the order against the switch's smoothness",
             "Orders of Runge-Kutta with their 95 % confidence intervals over the number of continuous "
             "derivatives of the switch: -1 is a jump, 0 a ramp, 1 the paper's cubic.",
             {"order"}, "parameter:derivatives", "continuous derivatives of the switch", "order");
  l.log_x = l.log_y = false;
  return l;
}

layout spirals() {
  return {.id = "tissue/fig3",
          .title = "Fig 3: spiral waves of the three models",
          .note =
              "Voltage. FitzHugh-Nagumo at t = 250 and Karma at 400 ms by Runge-Kutta with steps of 0.05, "
              "Bueno-Orovio with sharp constants at 1500 ms by Euler with 0.1.",
          .shape = layout::kind::fields,
          .metrics = {"u_min", "u_max", solve_metric},
          .panel_by = "model",
          .columns = {"u"},
          .drawing = layout::field_drawing::colour_map,
          .quantity = "u"};
}

family make_family() {
  const std::string errors =
      "Relative L2 error of u after 10 (FitzHugh-Nagumo), 4 ms (Karma), 2 ms (Bueno-Orovio) from a hill of "
      "u.";
  family f{"tissue",
           "Implementation of PDE models of cardiac dynamics on GPUs using OpenCL",
           {},
           {"dt", "dx"},
           tissue_cases::verify_variant};
  f.experiments = {
      {spirals(), spiral_cases, {}},
      {figure("fig4", "Fig 4: wall time over simulated time against the step",
              "Karma, steps alone. One is real time.", {"time_ratio"}, "parameter:dt", "time step (ms)",
              "wall time over simulated time"),
       fig4_cases, fig4_rows},
      {figure(
           "fig5", "Fig 5: wall time over simulated time against the grid",
           "Karma, steps of 0.01 ms. The crossover is where the shortest time meets the parabola through the "
           "largest grid.",
           {"time_ratio"}, "width", "N (nodes of a side)", "wall time over simulated time"),
       fig5_cases, fig5_rows},
      {figure("fig6", "Fig 6: error against the step", errors, {"error_u"}, "parameter:dt", "time step (ms)",
              "relative error of u"),
       fig6_cases, fig6_rows},
      table("tissue/table1", "Table 1: exponents of the error",
            errors + " Fitted without the plateau of rounding; quartiles are the 95 % confidence interval.",
            {"order"}, error_cases, orders),
      {figure("fig7", "Fig 7: time against error",
              errors + " The time for an error lies between measured ones, at what a step takes at 256x256.",
              {"time_at_error"}, "parameter:error", "relative error of u", "time for the error (s)"),
       fig7_cases, fig7_rows},
      table("tissue/section6", "Section 6: what its proposals gain",
            "1000 steps of Runge-Kutta: tanh by a switch, the power function instead of multiplications, the "
            "switch by a tanh, vectors of 1 to 8 doubles on the host, fewer launches.",
            {"time_ratio", steps_metric, "launches_per_step", "share_of_copy_roof", "share_of_binding_roof"},
            section6_cases, ratios),
      table("tissue/order", "The open question: Runge-Kutta's order against the switch's smoothness",
            "Only the switch is replaced: a jump, then polynomials with none to four continuous "
            "derivatives, and "
            "tanh; no_kink: the paper's switch where no cell meets it.",
            {"order"}, order_cases, orders),
      table("tissue/order_bo", "The open question, for Bueno-Orovio",
            "As for Karma, but without the jump, with which no reference advances.", {"order"},
            order_bo_cases, orders),
      {order_figure(), order_figure_cases, orders_by_smoothness},
      {figure("equal_error", "Time against error, both measured on the paper's grid", errors,
              {"time_at_error"}, "parameter:error", "relative error of u", "time for the error (s)"),
       equal_error_cases, equal_error_rows},
      table("tissue/models", "Section 5: the models whose times the paper does not show",
            "1000 steps of Heun, with steps of 0.001 and 0.01, and on larger grids.", {steps_metric},
            other_models_cases, {}),
      precisions_experiment(),
  };
  return f;
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
