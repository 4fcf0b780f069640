// SPDX-License-Identifier: MIT
// Makes spheres with bad cells and compares the ends of their runs with the reference.
#include "verification/atrium/bad_cells.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>

#include "reference/atrium/reference.hpp"
#include "verification/atrium/states.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::verification::atrium {
namespace {

using namespace reprise::atrium;
using checkers::finding;

constexpr double dt = .004;  // stable for the stiffest gate
constexpr long steps_of_run = 16;

int middle_of(const problem& p) {
  return static_cast<int>(p.cells() / 2);
}
int last_of(const problem& p) {
  return static_cast<int>(p.cells()) - 1;
}

control control_of(scheme method, gate_rule rule, bool is_adaptive) {
  if (method == scheme::black_box) return black_box_expectation::control();
  control c =
      is_adaptive ? adaptive_steps(method, rule, 1, 0, steps_of_run * dt) : fixed_steps(method, rule, dt);
  c.dt = dt;
  if (is_adaptive) c.least_dt = dt / 50;  // a bad step shrinks by ten, so that the second one is the last
  c.record_every = 1;
  return c;
}

// What the reference makes with the run's steps before the bad one. Before the first step all methods have the same.
std::shared_ptr<const stepwise_expectation> up_to(const problem& p, const control& c, int good_steps) {
  control fixed = c;
  if (good_steps == 0) fixed.method = scheme::euler;
  return std::make_shared<const stepwise_expectation>(p, fixed, good_steps);
}

bad_run bad_from_the_start(int subdivisions, const control& c, std::vector<int> no_cells) {
  const problem healthy = covering_problem(subdivisions, c.gates);
  bad_run made{healthy, c, dt, std::move(no_cells), 0, c.is_adaptive ? 2 : 1, up_to(healthy, c, 0), 0};
  for (int k : made.no_cells)
    made.sphere.state0[static_cast<std::size_t>(k)][at_cai] = checkers::not_a_number;
  // A black box evaluates rates only, which spread no NaN.
  const scheme method = c.method == scheme::black_box ? scheme::euler : c.method;
  made.bad_cell =
      reference::atrium::first_bad_cell(reference::atrium::steps(made.sphere, method, c.gates, dt, 1).y);
  return made;
}

// A strong current raises the voltage of one cell, which rests, by some tens of mV a step.
bad_run bad_after_steps(int subdivisions, const control& c) {
  problem p = covering_problem(subdivisions, c.gates);
  const auto cell = static_cast<std::size_t>(middle_of(p));
  p.state0[cell] = published_initial_state();
  p.stimulated[cell] = static_cast<std::uint8_t>(p.stimulated[cell] | 1U << p.protocol.stimuli.size());
  p.protocol.stimuli.push_back({.start = 0, .length = 1, .strength = 13'500, .axis = 0, .from_share = 0});
  const auto end = reference::atrium::continued(p, {c.method, c.gates, false, c.dt}, {p.state0},
                                                steps_of_run * dt, steps_of_run);
  const auto good = static_cast<int>(end.accepted);
  const auto bad = reference::atrium::steps(p, c.method, c.gates, dt, good + 1).y;
  return {p, c, dt, {}, reference::atrium::first_bad_cell(bad), end.rejected, up_to(p, c, good), good};
}

const std::vector<bad_run>& kept_runs(int subdivisions, scheme method, gate_rule rule, bool is_adaptive) {
  static std::map<std::tuple<int, scheme, gate_rule, bool>, std::vector<bad_run>> kept;
  auto& runs = kept[{subdivisions, method, rule, is_adaptive}];
  if (runs.empty()) runs = bad_runs(subdivisions, method, rule, is_adaptive);
  return runs;
}

// The state with numbers in place of those that were none from the start, and still are.
std::vector<cell_state> healed(std::vector<cell_state> y, const bad_run& run) {
  const problem healthy = covering_problem(run.sphere.mesh.subdivisions, run.control.gates);
  for (int number : run.no_cells) {
    const auto k = static_cast<std::size_t>(number);
    if (k < y.size() && std::isnan(y[k][at_cai])) y[k][at_cai] = healthy.state0[k][at_cai];
  }
  return y;
}

}  // namespace

std::vector<bad_run> bad_runs(int subdivisions, scheme method, gate_rule rule, bool is_adaptive) {
  const control c = control_of(method, rule, is_adaptive);
  const problem p = covering_problem(subdivisions, rule);
  const int last = last_of(p), middle = middle_of(p);
  std::vector<bad_run> runs{bad_from_the_start(subdivisions, c, {last}),
                            bad_from_the_start(subdivisions, c, {last, middle, last - 1})};
  if (!c.is_adaptive) runs.push_back(bad_after_steps(subdivisions, c));
  return runs;
}

std::vector<finding> verify_bad_cells(solver& s, int subdivisions, scheme method, gate_rule rule,
                                      bool is_adaptive, precision arithmetic) {
  std::vector<finding> all;
  for (const bad_run& run : kept_runs(subdivisions, method, rule, is_adaptive)) {
    s.load(run.sphere, arithmetic);
    s.reset(run.control);
    s.advance(run.first_end);
    const progress end = s.advance(steps_of_run * dt);
    const bool is_told = end.state == ending::not_a_number && end.bad_cell == run.bad_cell &&
                         end.accepted == run.good_steps &&
                         (method == scheme::black_box || end.rejected == run.rejected);
    all.push_back({"bad_cell_error", is_told ? 0. : 1., 0,
                   "a step that leaves a cell which is none ends the run and names the lowest such cell"});
    checkers::append(all, run.before->judge_cells(healed(s.state(), run), s.recorded(), end.t, arithmetic));
  }
  return checkers::worst_of_each(all);
}

}  // namespace reprise::verification::atrium
