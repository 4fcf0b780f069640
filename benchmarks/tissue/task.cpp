// SPDX-License-Identifier: MIT
// Makes the problems that the tissue paper's cases integrate.
#include "benchmarks/tissue/task.hpp"

#include <fmt/core.h>

namespace reprise::harness::tissue_cases {

using tissue::model;
using tissue::problem;

problem problem_of(const task& t, grid_size size) {
  const double dx = t.dx > 0 ? t.dx : tissue::usual_spacing(t.model);
  problem p = t.from == start::hill ? tissue::hill_problem(t.model, size.width, size.height, dx)
                                    : tissue::lifted_problem(t.model, size.width, size.height, dx);
  p.form = t.form;
  p.replaces_tanh = t.replaces_tanh;
  p.multiplies_powers = t.multiplies_powers;
  p.vector_width = t.vector_width;
  return p;
}

double end_of(model m) {
  return m == model::fitzhugh_nagumo ? 10 : m == model::karma ? 4 : 2;
}

std::string name_of(const task& t) {
  const std::string name = fmt::format("model={};method={}", to_string(t.model), to_string(t.method));
  return t.dx > 0 ? fmt::format("{};dx={:g}", name, t.dx) : name;
}

}  // namespace reprise::harness::tissue_cases
