// SPDX-License-Identifier: MIT
// Describes problems by numbers and compares them.
#include "verification/tissue/problem_check.hpp"

#include <fmt/core.h>

#include <cmath>

#include "verification/checkers/maximum.hpp"

namespace reprise::verification::tissue {
namespace {

namespace paper = reference::tissue::paper;
using reprise::tissue::method;
using reprise::tissue::model;
using reprise::tissue::problem;

// The second stimulus acts on u at rest and on u that is higher than it.
bool has_stimulus(model m, beginning from) {
  return m == model::bueno_orovio && from == beginning::spiral;
}

std::vector<double> before_stimulus(std::size_t cells) {
  std::vector<double> u(cells);
  for (std::size_t k = 0; k < cells; ++k) u[k] = k % 3 == 0 ? .5 : 0;
  return u;
}

void add_choices(std::map<std::string, double>& numbers, const problem& p) {
  numbers["columns"] = p.nx;
  numbers["rows"] = p.ny;
  numbers["spacing"] = p.dx;
  numbers["model"] = static_cast<double>(p.model);
  numbers["border"] = static_cast<double>(p.border);
  numbers["form of the switch"] = static_cast<double>(p.form);
  numbers["steepness"] = p.steepness;
  numbers["sharp constants"] = p.has_sharp_constants;
  numbers["tanh replaced"] = p.replaces_tanh;
  numbers["powers by multiplication"] = p.multiplies_powers;
}

// The methods that a model has: those for gates need Bueno-Orovio's.
bool has_gates_for(model m, method how) {
  return m == model::bueno_orovio || (how != method::implicit_euler && how != method::rush_larsen);
}

problem asked_problem(const asked& a) {
  problem p;
  p.model = a.model;
  p.nx = a.nx;
  p.ny = a.ny;
  p.dx = a.dx > 0 ? a.dx : paper::spacing(a.model);
  p.border = a.border;
  p.form = a.form;
  p.steepness = a.steepness;
  p.has_sharp_constants = a.has_sharp_constants;
  p.replaces_tanh = a.replaces_tanh;
  p.multiplies_powers = a.multiplies_powers;
  return p;
}

void add_fields(description& d, const reference::tissue::state& z) {
  for (std::size_t f = 0; f < z.size(); ++f) d.fields[fmt::format("initial field {}", f)] = z[f];
}

}  // namespace

description described(const problem& p, beginning from) {
  description d;
  auto& n = d.numbers;
  add_choices(n, p);
  n["usual spacing"] = usual_spacing(p.model);
  n["fields"] = fields_of(p.model);
  const auto rest = rest_of(p);
  for (int f = 0; f < fields_of(p.model); ++f) {
    n[fmt::format("diffusion of field {}", f)] = diffusion_of(p.model, f);
    n[fmt::format("rest of field {}", f)] = rest.at(static_cast<std::size_t>(f));
  }
  int diffusing = 0;
  for (int f = 0; f < fields_of(p.model); ++f) diffusing += f < diffusing_fields_of(p.model);
  n["fields that diffuse"] = diffusing;
  for (const method how : reprise::tissue::all_methods) {
    const std::string name(to_string(how));
    n["stages of " + name] = stages_of(how);
    n["step limit of " + name] = diffusive_step_limit(p, how);
    n["has " + name] = has_method(p.model, how);
  }
  for (const int k : {0, 1, p.nx - 1}) n[fmt::format("x of column {}", k)] = p.x(k);
  for (const int k : {0, 1, p.ny - 1}) n[fmt::format("y of row {}", k)] = p.y(k);
  add_fields(d, p.state0);
  if (has_stimulus(p.model, from)) {
    n["time of the stimulus"] = reprise::tissue::second_stimulus_ms;
    std::vector<double>& u = d.fields["u after the stimulus"] = before_stimulus(p.cells());
    apply_second_stimulus(p, u);
  }
  return d;
}

description described(const asked& a) {
  const problem p = asked_problem(a);
  description d;
  auto& n = d.numbers;
  add_choices(n, p);
  n["usual spacing"] = paper::spacing(a.model);
  n["fields"] = paper::fields(a.model);
  const std::vector<double> rest = paper::rest(p);
  int diffusing = 0;
  for (int f = 0; f < paper::fields(a.model); ++f) {
    n[fmt::format("diffusion of field {}", f)] = paper::diffusion(a.model, f);
    n[fmt::format("rest of field {}", f)] = rest.at(static_cast<std::size_t>(f));
    diffusing += paper::diffusion(a.model, f) > 0;
  }
  n["fields that diffuse"] = diffusing;
  for (const method how : reprise::tissue::all_methods) {
    const std::string name(to_string(how));
    n["stages of " + name] = paper::stages(how);
    n["step limit of " + name] = paper::step_limit(a.model, how, p.dx);
    n["has " + name] = has_gates_for(a.model, how);
  }
  // A cell's centre lies half a cell from its edges.
  for (const int k : {0, 1, p.nx - 1}) n[fmt::format("x of column {}", k)] = p.dx * k + p.dx / 2;
  for (const int k : {0, 1, p.ny - 1}) n[fmt::format("y of row {}", k)] = p.dx * k + p.dx / 2;
  add_fields(d, paper::initial_state(a.from, p));
  if (has_stimulus(a.model, a.from)) {
    n["time of the stimulus"] = paper::stimulus_ms;
    d.fields["u after the stimulus"] = paper::after_stimulus(p, before_stimulus(p.cells()));
  }
  return d;
}

checkers::finding judge(const description& given, const description& papers) {
  double worst = 0;
  std::string name = "none";
  const auto take = [&](const std::string& of, double distance) {
    const double before = worst;
    checkers::raise(worst, std::isfinite(distance) ? distance : checkers::not_a_number);
    if (std::isnan(worst) ? !std::isnan(before) : worst > before) name = of;
  };
  for (const auto& [of, value] : papers.numbers) {
    const auto found = given.numbers.find(of);
    const double ours = found == given.numbers.end() ? checkers::not_a_number : found->second;
    take(of, std::abs(ours - value) / (value == 0 ? 1 : std::abs(value)));
  }
  for (const auto& [of, values] : papers.fields) {
    const auto found = given.fields.find(of);
    if (found == given.fields.end())
      take(of, checkers::not_a_number);
    else
      take(of, checkers::largest_distance(found->second, values));
  }
  if (given.numbers.size() != papers.numbers.size() || given.fields.size() != papers.fields.size())
    take("what only one side has", checkers::not_a_number);
  return {"problem_error", worst, 1e-12,
          "both sides write the paper's problem with a dozen operations on numbers of size one, far below a "
          "change of 1e-6; the worst is " +
              name};
}

checkers::finding judge_problem(const problem& p, const asked& a) {
  return judge(described(p, a.from), described(a));
}

}  // namespace reprise::verification::tissue
