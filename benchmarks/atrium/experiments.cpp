// SPDX-License-Identifier: MIT
// The atrium paper's experiments: the variants and steps of each table and figure.
#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "benchmarks/atrium/cases.hpp"
#include "benchmarks/atrium/order.hpp"
#include "benchmarks/atrium/rows.hpp"
#include "benchmarks/atrium/verified_problems.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

using namespace atrium_cases;
using atrium::gate_rule;
using atrium::scheme;
using reports::layout;

using names = std::vector<std::string>;
using tasks = std::vector<task>;

// All variants in solvers/atrium that work on one device, found by their files: a
// new variant needs no line here.
names everything() {
  names all = variants_of("atrium");
  std::erase_if(all, [](const std::string& name) { return is_on_ranks(name); });
  return all;
}

// Leaves out the slower CPU codes, because the tables are long.
names fast() {
  names all = everything();
  std::erase_if(all, [](const std::string& name) { return name == "cpu_serial" || name == "openmp_aos"; });
  return all;
}

void refuse(const plan_request& request, std::initializer_list<const char*> names, const std::string& why) {
  for (const char* name : names)
    if (request.setting(name)) throw bad_input(fmt::format("{} {}: name the other experiments", why, name));
}

tasks adaptive_tasks(scheme pair, const plan_request& request) {
  const auto at = request.setting("at");
  const auto rt = request.setting("rt");
  if (at || rt) return {adaptive_task(pair, at.value_or(1), rt.value_or(0))};
  return {adaptive_task(pair, 1e-2, 1e-4), adaptive_task(pair, 1e-1, 1e-2), adaptive_task(pair, 1e-1, 1e-1),
          adaptive_task(pair, 1, 0)};
}

tasks fixed_tasks(scheme method, const plan_request& request) {
  if (const auto dt = request.setting("dt")) return {fixed_task(method, *dt)};
  return {fixed_task(method, .01), fixed_task(method, .025), fixed_task(method, .05),
          fixed_task(method, .06)};
}

std::vector<case_plan> cases_of(const names& variants, const tasks& list, const plan_request& request) {
  std::vector<case_plan> plans;
  for (precision arithmetic : {precision::single, precision::double_})
    for (const task& t : list)
      for (const std::string& name : variants)
        if (can_step(name, t, arithmetic))
          plans.push_back(plan_solve(name, t, arithmetic, scenario_of(request, has_gpu(name))));
  return plans;
}

auto adaptive_cases(scheme pair) {
  return [pair](const plan_request& request) {
    refuse(request, {"dt"}, "tables 1 to 3 choose their steps and have no");
    return cases_of(fast(), adaptive_tasks(pair, request), request);
  };
}

auto fixed_cases(scheme method) {
  return [method](const plan_request& request) {
    refuse(request, {"at", "rt"}, "tables 4 and 5 have steps of one length and no");
    return cases_of(fast(), fixed_tasks(method, request), request);
  };
}

// Steps and tolerances short enough for small errors, which need a reference of second order.
tasks accurate_tasks(preset level) {
  using steps = std::vector<double>;
  const auto by_level = [&](const steps& smoke, const steps& quick, const steps& paper) {
    return level == preset::smoke ? smoke : level == preset::quick ? quick : paper;
  };
  tasks all;
  const auto add = [&](scheme method, const steps& each) {
    for (double dt : each) all.push_back(fixed_task(method, dt));
  };
  add(scheme::euler, by_level({.02, .01}, {.01, .0025}, {.01, .0025, .001, .0005, .00025}));
  add(scheme::midpoint, by_level({.02, .01}, {.01, .0025}, {.01, .0025, .001, .0005}));
  add(scheme::exponential_midpoint, by_level({.02, .01}, {.05, .025, .01}, {.05, .025, .01, .005, .0025}));
  if (level != preset::smoke)
    for (scheme pair : {scheme::trapezoidal, scheme::bogacki_shampine, scheme::fehlberg, scheme::cash_karp})
      for (auto [at, rt] : {std::pair{1e-2, 1e-4}, {1e-3, 1e-6}}) all.push_back(adaptive_task(pair, at, rt));
  for (task& t : all) t.against = reference_kind::second_order;
  return all;
}

std::vector<case_plan> accurate_cases(const plan_request& request) {
  refuse(request, {"dt", "at", "rt"}, "equal_error has steps and tolerances of its own and no");
  names variants = fast();
  std::erase_if(variants, [](const std::string& name) { return name.starts_with("opencl_"); });
  return cases_of(variants, accurate_tasks(request.level), request);
}

std::vector<case_plan> processor_cases(const plan_request& request) {
  refuse(request, {"at", "rt"}, "cpu_gpu has steps of one length and no");
  const task t = fixed_task(scheme::euler, request.setting("dt").value_or(.05));
  std::vector<case_plan> plans = cases_of(everything(), {t}, request);
  // If the GPUs run a larger sphere than the processors, they also run the processors' sphere.
  const scenario small = scenario_of(request, false);
  for (const std::string& name : everything())
    if (has_gpu(name) && scenario_of(request, true).subdivisions != small.subdivisions)
      for (precision arithmetic : {precision::single, precision::double_})
        if (can_step(name, t, arithmetic)) plans.push_back(plan_solve(name, t, arithmetic, small));
  return plans;
}

std::vector<case_plan> scatter_cases(const plan_request& request) {
  tasks all;
  for (scheme pair : {scheme::fehlberg, scheme::bogacki_shampine, scheme::trapezoidal})
    for (const task& t : adaptive_tasks(pair, request)) all.push_back(t);
  for (scheme method : {scheme::euler, scheme::midpoint, scheme::exponential_midpoint})
    for (const task& t : fixed_tasks(method, request)) all.push_back(t);
  return cases_of(fast(), all, request);
}

std::vector<case_plan> stability_cases(const plan_request& request) {
  refuse(request, {"dt", "at", "rt"}, "stability searches for the step and has no");
  std::vector<case_plan> plans;
  for (const std::string& name : fast())
    for (auto [method, gates] : {std::pair{scheme::euler, gate_rule::plain},
                                 {scheme::euler, gate_rule::rush_larsen},
                                 {scheme::midpoint, gate_rule::rush_larsen},
                                 {scheme::trapezoidal, gate_rule::rush_larsen}}) {
      task t = fixed_task(method, 1);
      t.gates = gates;
      if (can_step(name, t, precision::single))
        plans.push_back(
            plan_search(name, method, gates, precision::single, scenario_of(request, has_gpu(name))));
    }
  return plans;
}

// Black-box integrators run only on processors and need some hundred evaluations per simulated millisecond.
// They run on the processors' sphere and, if that takes long, on the small one too.
std::vector<scenario> black_box_scenarios(const plan_request& request) {
  if (request.level == preset::smoke || request.setting("subdivisions")) return {scenario_of(request, false)};
  std::vector<scenario> all;
  for (preset level : {preset::smoke, preset::quick}) {
    plan_request own = request;
    own.level = level;
    all.push_back(scenario_of(own, false));
  }
  return all;
}

// The pairs' tolerances without Rush-Larsen, the tightest tolerances of the tables, and the
// tolerances that CVODE's users choose.
tasks black_box_tasks(const plan_request& request) {
  const auto at = request.setting("at");
  const auto rt = request.setting("rt");
  if (at || rt) return {black_box_task(at.value_or(1), rt.value_or(0))};
  if (request.level == preset::smoke) return {black_box_task(1e-2, 1e-4)};
  return {black_box_task(1e-2, 1e-4), black_box_task(1, 0), black_box_task(1e-6, 1e-4)};
}

std::vector<case_plan> black_box_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  for (const scenario& chosen : black_box_scenarios(request))
    for (const task& t : black_box_tasks(request))
      for (const std::string& name : everything())
        if (can_step(name, t, precision::double_))
          plans.push_back(plan_solve(name, t, precision::double_, chosen));
  return plans;
}

// Runs without Rush-Larsen, and runs with it at tolerances below those at which the paper's runs stagnate.
std::vector<case_plan> stagnation_cases(const plan_request& request) {
  refuse(request, {"dt"}, "stagnation chooses its steps and has no");
  const bool has_own = request.setting("at") || request.setting("rt");
  const double at = request.setting("at").value_or(1);
  const double rt = request.setting("rt").value_or(0);
  tasks all;
  for (scheme pair : {scheme::trapezoidal, scheme::bogacki_shampine, scheme::fehlberg})
    for (gate_rule gates : {gate_rule::plain, gate_rule::rush_larsen}) {
      task t = adaptive_task(pair, at, rt);
      t.gates = gates;
      all.push_back(t);
    }
  if (!has_own)
    all.insert(all.end(),
               {adaptive_task(scheme::trapezoidal, 1e-2, 1e-4), adaptive_task(scheme::trapezoidal, 5e-3, 0),
                adaptive_task(scheme::bogacki_shampine, 5e-4, 0)});
  for (task& t : all) t.may_stagnate = true;
  std::vector<case_plan> plans = cases_of(fast(), all, request);
  std::ranges::move(black_box_cases(request), std::back_inserter(plans));
  return plans;
}

// One cell in its reference state needs no sphere.
std::vector<case_plan> order_cases(const plan_request& request) {
  refuse(request, {"dt", "at", "rt", "t_end", "acetylcholine"},
         "order has steps and a cell of its own and no");
  std::vector<case_plan> plans;
  for (scheme method : atrium::all_runge_kutta)
    for (gate_rule gates : atrium::all_gate_rules) {
      task t = fixed_task(method, 1);
      t.gates = gates;
      for (const std::string& name : fast())
        if (can_step(name, t, precision::double_)) plans.push_back(plan_order(name, method, gates));
    }
  return plans;
}

// One GPU code, which has all methods in both precisions, and one CPU code: the lines of more variants would cover
// each other.
std::vector<case_plan> drawn_cases(const tasks& list, precision arithmetic, const plan_request& request) {
  std::vector<case_plan> plans;
  for (const task& t : list)
    for (const char* name : {t.is_adaptive ? "cuda_device_control" : "cuda_stages", "openmp"})
      plans.push_back(plan_solve(name, t, arithmetic, scenario_of(request, has_gpu(name))));
  return plans;
}

// The paper does not name its four cells.
std::vector<case_plan> voltage_cases(const plan_request& request) {
  refuse(request, {"dt", "at", "rt"}, "fig1 draws the reference and has no");
  task t = adaptive_task(scheme::cash_karp, 1e-3, 1e-6);
  t.draws = true;
  return drawn_cases({t}, precision::double_, request);
}

// The paper names neither the cell nor the methods: these are a good method and the two
// that the text calls good enough.
std::vector<case_plan> front_cases(const plan_request& request) {
  refuse(request, {"dt", "at", "rt"}, "this figure draws methods and steps of its own and has no");
  tasks list{fixed_task(scheme::euler, .05), fixed_task(scheme::midpoint, .06),
             adaptive_task(scheme::bogacki_shampine, 1, 0), adaptive_task(scheme::trapezoidal, .1, .01)};
  for (task& t : list) t.draws_front = true;
  return drawn_cases(list, precision::single, request);
}

std::vector<experiment> tables() {
  const names columns{time_metric,  "accepted_steps", "rejected_steps",   "lrel_error",
                      "labs_error", "rrms",           "activation_shift", "peak_safe_relative",
                      "gflops",     "reached",        "reduction_share"};
  const std::string note =
      "300 ms, against Cash-Karp with Rush-Larsen in double precision at rt = 1e-6, at = 1e-3. The errors to "
      "the letter of section 5.1, the shift of activations in ms, and an error that peaks do not spoil.";
  return {
      table("atrium/table1", "Table 1: Runge-Kutta-Fehlberg 5(4) with Rush-Larsen", note, columns,
            adaptive_cases(scheme::fehlberg), times_at_rrms),
      table("atrium/table2", "Table 2: Bogacki-Shampine 3(2) with Rush-Larsen", note, columns,
            adaptive_cases(scheme::bogacki_shampine), times_at_rrms),
      table("atrium/table3", "Table 3: Trapezoidal-Euler 2(1) with Rush-Larsen", note, columns,
            adaptive_cases(scheme::trapezoidal), times_at_rrms),
      table("atrium/table4", "Table 4: forward Euler with Rush-Larsen", note, columns,
            fixed_cases(scheme::euler), times_at_rrms),
      table("atrium/table5", "Table 5: explicit midpoint with Rush-Larsen", note, columns,
            fixed_cases(scheme::midpoint), times_at_rrms),
      table("atrium/second_order", "Beyond the tables: exponential midpoint",
            note +
                " Gates make the whole step with the coefficients of its middle (Sundnes et al. 2009), "
                "which is of second order; that of the reference is one, so that its own error, an RRMS of "
                "0.046, is the least that this table can show.",
            columns, fixed_cases(scheme::exponential_midpoint), times_at_rrms),
      table("atrium/equal_error", "Beyond the tables: times at small errors",
            "300 ms, against the exponential midpoint method in double precision with steps of 0.001 ms. It "
            "is of second order, so that its own error is small beside all of these; the paper's reference "
            "is of first.",
            {time_metric, "accepted_steps", "rrms", "activation_shift", "time_at_rrms_1e-2",
             "time_at_rrms_1e-3"},
            accurate_cases, times_at_rrms),
  };
}

std::vector<experiment> figures() {
  return {
      {{.id = "atrium/fig1",
        .title = "Fig 1: transmembrane voltage of four cells",
        .note = "The reference solution in mV against time in ms, from the recorded cell that is activated "
                "first to the one that is last.",
        .shape = layout::kind::figure,
        .metrics = {"voltage"},
        .x = "parameter:t",
        .colour_by = "cell",
        .x_label = "time (ms)"},
       voltage_cases,
       {}},
      {{.id = "atrium/fig2",
        .title = "Fig 2: why RRMS misleads",
        .note = "The recorded cell that is activated last, in mV against time in ms, and its distance to "
                "the reference: a front that is late by a tenth of a millisecond differs by tens of mV "
                "while it passes, and by nothing afterwards.",
        .shape = layout::kind::figure,
        .metrics = {"voltage"},
        .x = "parameter:t",
        .panel_by = "of",
        .colour_by = "method",
        .x_label = "time (ms)"},
       front_cases,
       {}},
      {{.id = "atrium/fig3",
        .title = "Fig 3: vertical and horizontal errors",
        .note = "The curves of Fig 2: how far they are from the reference along the voltage, in mV, and "
                "along the time, "
                "in ms. The paper's error of a point is the smaller of both.",
        .shape = layout::kind::figure,
        .metrics = {"local_distance"},
        .x = "parameter:t",
        .panel_by = "of",
        .colour_by = "method",
        .x_label = "time (ms)",
        .y_label = "distance (mV or ms)",
        .log_y = true},
       front_cases,
       {}},
      {{.id = "atrium/fig4",
        .title = "Fig 4: relative accuracy against computing time",
        .note = "One point for each row of Tables 1 to 5, and for the exponential midpoint method.",
        .shape = layout::kind::figure,
        .metrics = {"error_at_time"},
        .x = "parameter:time",
        .panel_by = "precision",
        .colour_by = "method",
        .x_label = "computing time (s)",
        .y_label = "relative error",
        .log_x = true,
        .log_y = true,
        .published_x = time_metric,
        .published_y = "lrel_error"},
       scatter_cases,
       scatter},
  };
}

std::vector<experiment> sections() {
  return {
      table("atrium/stability", "Section 5.2.1: the largest stable step",
            "Searched for to a percent over the whole of the simulated time.",
            {"largest_stable_dt", "diffusive_limit", "gain_of_rush_larsen"}, stability_cases, gains),
      table("atrium/cpu_gpu", "Section 5.2.2: processors against the GPU",
            "Euler with Rush-Larsen at 0.05 ms, which the paper calls 5e-4 seconds.",
            {time_metric, "speedup_over_processors", "gflops", "share_of_copy_roof", "share_of_binding_roof",
             "lrel_error"},
            processor_cases, speedups),
      table("atrium/stagnation", "Section 5.2.1 and 5.2.3: where adaptive steps stagnate",
            "What share of the time is reached before a step of 5e-6 ms is asked for, or 2000 attempts a ms "
            "are made. CVODE, which knows no Rush-Larsen, on 2562 cells, and on 162 over 30 ms.",
            {"reached", "accepted_steps", "rejected_steps", "attempted_steps", "lrel_error"},
            stagnation_cases),
      table(
          "atrium/order", "Section 3: the order of every method, with Rush-Larsen and without",
          "Fixed steps of one cell on its plateau, 2.4 ms, in double precision: slopes of the errors of the "
          "voltage and of the worst gate, with 95 % confidence intervals.",
          {"order_voltage", "order_gates"}, order_cases, fitted_orders),
  };
}

family make_family() {
  return {"atrium",
          "Adaptive step ODE algorithms for the 3D simulation of electric heart activity with graphics "
          "processing units",
          joined({tables(), figures(), sections()}),
          {"subdivisions", "t_end", "acetylcholine", "dt", "at", "rt"},
          verify_variant,
          {},
          sphere_sizes(),
          {{"curve_error", 2}, {"curve_relative", 2}}};
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
