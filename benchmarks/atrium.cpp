// SPDX-License-Identifier: MIT
// The atrium paper's experiments: which variants with which steps make each table and figure, and on which
// problems a variant is checked.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "benchmarks/atrium_cases.hpp"
#include "solvers/atrium/variant.hpp"
#include "solvers/common/error.hpp"
#include "verification/atrium_check.hpp"

namespace reprise::harness {
namespace {

namespace check = verification::atrium;
using namespace atrium_cases;
using atrium::gate_rule;
using atrium::scheme;
using reports::layout;
using reports::row;

using names = std::vector<std::string>;
using tasks = std::vector<task>;

// Whatever file there is in solvers/atrium: a new variant needs no line here.
names everything() {
  return variants_of("atrium");
}

// The tables are long: of the processors' codes the fastest is enough.
names fast() {
  names all = everything();
  std::erase_if(all, [](const std::string& name) { return name == "cpu_serial" || name == "openmp_aos"; });
  return all;
}

tasks adaptive_tasks(scheme pair) {
  return {adaptive_task(pair, 1e-2, 1e-4), adaptive_task(pair, 1e-1, 1e-2), adaptive_task(pair, 1e-1, 1e-1),
          adaptive_task(pair, 1, 0)};
}

tasks fixed_tasks(scheme method) {
  return {fixed_task(method, .01), fixed_task(method, .025), fixed_task(method, .05),
          fixed_task(method, .06)};
}

std::vector<case_plan> cases_of(const names& variants, const tasks& list, const plan_request& request) {
  std::vector<case_plan> plans;
  for (precision arithmetic : {precision::single, precision::double_})
    for (const task& t : list)
      for (const std::string& name : variants)
        if (can_step(name, t, arithmetic))
          plans.push_back(plan_solve(name, t, arithmetic, setting_of(request, has_gpu(name))));
  return plans;
}

auto table_cases(const tasks& list) {
  return [list](const plan_request& request) { return cases_of(fast(), list, request); };
}

std::vector<case_plan> processor_cases(const plan_request& request) {
  const task t = fixed_task(scheme::euler, .05);
  std::vector<case_plan> plans = cases_of(everything(), {t}, request);
  // Where the GPUs have a larger sphere than the processors, the processors' too.
  const setting small = setting_of(request, false);
  for (const std::string& name : everything())
    if (has_gpu(name) && setting_of(request, true).subdivisions != small.subdivisions)
      for (precision arithmetic : {precision::single, precision::double_})
        if (can_step(name, t, arithmetic)) plans.push_back(plan_solve(name, t, arithmetic, small));
  return plans;
}

std::vector<case_plan> scatter_cases(const plan_request& request) {
  tasks all;
  for (scheme pair : {scheme::fehlberg, scheme::bogacki_shampine, scheme::trapezoidal})
    for (const task& t : adaptive_tasks(pair)) all.push_back(t);
  for (scheme method : {scheme::euler, scheme::midpoint})
    for (const task& t : fixed_tasks(method)) all.push_back(t);
  return cases_of(fast(), all, request);
}

std::vector<case_plan> stability_cases(const plan_request& request) {
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
            plan_search(name, method, gates, precision::single, setting_of(request, has_gpu(name))));
    }
  return plans;
}

// Without Rush-Larsen, and with it below the tolerances at which the paper's runs stagnate.
std::vector<case_plan> stagnation_cases(const plan_request& request) {
  tasks all;
  for (scheme pair : {scheme::trapezoidal, scheme::bogacki_shampine, scheme::fehlberg})
    for (gate_rule gates : {gate_rule::plain, gate_rule::rush_larsen}) {
      task t = adaptive_task(pair, 1, 0);
      t.gates = gates;
      all.push_back(t);
    }
  all.push_back(adaptive_task(scheme::trapezoidal, 1e-2, 1e-4));
  all.push_back(adaptive_task(scheme::trapezoidal, 5e-3, 0));
  all.push_back(adaptive_task(scheme::bogacki_shampine, 5e-4, 0));
  for (task& t : all) t.may_stagnate = true;
  return cases_of(fast(), all, request);
}

bool is_right(const row& r, const std::string& metric) {
  return r.metric == metric && r.status == "ok";
}

bool is_same_case(const row& a, const row& b) {
  return a.variant == b.variant && a.device == b.device && a.precision == b.precision && a.size == b.size &&
         a.parameter == b.parameter;
}

// Over the paper's code for processors, of the same steps in the same run.
std::vector<row> speedups(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows)
    for (const row& base : rows)
      if (is_right(r, time_metric) && is_right(base, time_metric) && base.variant == "atrium/openmp_aos" &&
          r.variant != base.variant && r.precision == base.precision && r.size == base.size &&
          r.parameter == base.parameter)
        all.push_back(derived(r, "speedup_over_processors", base.value / r.value, "1",
                              "over openmp_aos, all cores, in this run"));
  return all;
}

// Fig 4: the error at the time that it took, which becomes a part of the row's parameter.
std::vector<row> scatter(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& time : rows)
    for (const row& error : rows)
      if (is_right(time, time_metric) && is_right(error, "lrel_error") && is_same_case(time, error)) {
        row point = derived(error, "error_at_time", error.value, "1", "the interpolated relative error");
        point.parameter =
            fmt::format("{};time={:.6g}", time.parameter.substr(0, time.parameter.find(';')), time.value);
        all.push_back(std::move(point));
      }
  return all;
}

std::vector<row> gains(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& with : rows)
    for (const row& without : rows)
      if (is_right(with, "largest_stable_dt") && is_right(without, "largest_stable_dt") &&
          with.variant == without.variant && with.device == without.device && with.size == without.size &&
          with.parameter == "method=euler;gates=rush_larsen" &&
          without.parameter == "method=euler;gates=plain") {
        row gain =
            derived(with, "gain_of_rush_larsen", with.value / without.value, "1", "in the largest step");
        gain.parameter.clear();
        all.push_back(std::move(gain));
      }
  return all;
}

experiment table(const std::string& name, const std::string& title, const std::string& note, names metrics,
                 std::function<std::vector<case_plan>(const plan_request&)> plan,
                 std::function<std::vector<row>(std::span<const row>)> derive = {}) {
  layout l{.id = "atrium/" + name,
           .title = title,
           .note = note,
           .shape = layout::kind::table,
           .metrics = std::move(metrics)};
  return {std::move(l), std::move(plan), std::move(derive)};
}

// The paper does not say which four cells.
std::vector<case_plan> voltage_cases(const plan_request& request) {
  std::vector<case_plan> plans;
  task t = adaptive_task(scheme::cash_karp, 1e-3, 1e-6);
  t.draws = true;
  for (const char* name : {"cuda_device_control", "openmp"})
    plans.push_back(plan_solve(name, t, precision::double_, setting_of(request, has_gpu(name))));
  return plans;
}

experiment voltage_figure() {
  layout l{.id = "atrium/fig1",
           .title = "Fig 1: transmembrane voltage of four cells",
           .note =
               "The reference solution in mV against time in ms, from the recorded cell that is activated "
               "first to the one that is last.",
           .shape = layout::kind::figure,
           .metrics = {"voltage"},
           .x = "parameter:t"};
  l.colour_by = "cell";
  return {std::move(l), voltage_cases, {}};
}

experiment scatter_figure() {
  layout l{.id = "atrium/fig4",
           .title = "Fig 4: relative accuracy against computing time",
           .note = "One point for each row of Tables 1 to 5.",
           .shape = layout::kind::figure,
           .metrics = {"error_at_time"},
           .x = "parameter:time",
           .log_x = true,
           .log_y = true};
  l.colour_by = "method";
  return {std::move(l), scatter_cases, scatter};
}

void verify_steps(atrium::solver& s, int subdivisions, precision arithmetic,
                  std::vector<verified_case>& results) {
  const atrium::problem p = atrium::skew_problem(subdivisions);
  for (scheme method : atrium::all_schemes)
    for (gate_rule rule : atrium::all_gate_rules)
      results.push_back(
          verified(fmt::format("{} {} {} {} cells, {} steps", to_string(method), to_string(rule),
                               to_string(arithmetic), p.cells(), check::stepwise_expectation::steps),
                   [&] {
                     s.load(p, arithmetic);
                     return check::verify(s, *check::expect_steps(subdivisions, method, rule), arithmetic);
                   }));
}

std::vector<verified_case> verify_variant(const variant& v, const device& d,
                                          std::span<const grid_size> sizes) {
  if (!sizes.empty()) throw bad_input("a sphere has no width and height: leave the size out");
  const auto s = dynamic_cast<const variant_of<atrium::solver>&>(v).make(d);
  std::vector<verified_case> results;
  for (precision arithmetic : v.data.precisions) {
    // Less than a vector or a warp, and several that are no multiples of one.
    for (int subdivisions : {0, 1}) verify_steps(*s, subdivisions, arithmetic, results);
    if (d.kind == backend::emulated) continue;
    for (int subdivisions : {2, 3}) verify_steps(*s, subdivisions, arithmetic, results);
    for (scheme pair : atrium::all_schemes)
      if (is_pair(pair))
        results.push_back(
            verified(fmt::format("{} {} adaptive, 6 ms", to_string(pair), to_string(arithmetic)),
                     [&] { return check::verify(*s, *check::expect_run(pair), arithmetic); }));
  }
  return results;
}

std::vector<experiment> experiments() {
  const names columns{time_metric, "accepted_steps",   "rejected_steps",     "lrel_error", "labs_error",
                      "rrms",      "activation_shift", "peak_safe_relative", "gflops",     "reached"};
  const std::string note =
      "300 ms, against Cash-Karp with Rush-Larsen in double precision at rt = 1e-6, at = 1e-3. The errors to "
      "the letter of section 5.1, the shift of activations in ms, and an error that peaks do not spoil.";
  return {
      table("table1", "Table 1: Runge-Kutta-Fehlberg 5(4) with Rush-Larsen", note, columns,
            table_cases(adaptive_tasks(scheme::fehlberg))),
      table("table2", "Table 2: Bogacki-Shampine 3(2) with Rush-Larsen", note, columns,
            table_cases(adaptive_tasks(scheme::bogacki_shampine))),
      table("table3", "Table 3: Trapezoidal-Euler 2(1) with Rush-Larsen", note, columns,
            table_cases(adaptive_tasks(scheme::trapezoidal))),
      table("table4", "Table 4: forward Euler with Rush-Larsen", note, columns,
            table_cases(fixed_tasks(scheme::euler))),
      table("table5", "Table 5: explicit midpoint with Rush-Larsen", note, columns,
            table_cases(fixed_tasks(scheme::midpoint))),
      voltage_figure(),
      table(
          "fig2", "Fig 2: why RRMS misleads",
          "A front that is late by the shift alone has an RRMS of several percent; the safe error is what is "
          "left of it where peaks do not count.",
          {"rrms", "lrel_error", "peak_safe_relative", "peak_safe_error", "activation_shift"},
          table_cases(fixed_tasks(scheme::euler))),
      scatter_figure(),
      table("stability", "Section 5.2.1: the largest stable step",
            "Searched for to a percent over the whole of the simulated time.",
            {"largest_stable_dt", "diffusive_limit", "gain_of_rush_larsen"}, stability_cases, gains),
      table("cpu_gpu", "Section 5.2.2: processors against the GPU",
            "Euler with Rush-Larsen at 0.05 ms, which the paper calls 5e-4 seconds.",
            {time_metric, "speedup_over_processors", "gflops", "share_of_copy_roof", "lrel_error"},
            processor_cases, speedups),
      table("stagnation", "Section 5.2.1 and 5.2.3: where adaptive steps stagnate",
            "What share of the time is reached before a step of 5e-6 ms is asked for, or 2000 attempts a ms "
            "are made.",
            {"reached", "accepted_steps", "rejected_steps", "attempted_steps", "lrel_error"},
            stagnation_cases),
  };
}

family make_family() {
  return {"atrium",
          "Adaptive step ODE algorithms for the 3D simulation of electric heart activity with graphics "
          "processing units",
          experiments(),
          {"subdivisions"},
          verify_variant};
}

const family_registration registered(make_family);

}  // namespace
}  // namespace reprise::harness
