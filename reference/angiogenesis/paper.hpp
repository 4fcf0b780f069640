// SPDX-License-Identifier: MIT
// The paper's problem stated a second time, by literals of its own, so that a wrong default, coordinate,
// initial value or range in the solvers' statement is not right by definition. Place: section 3 and Table 1.
#pragma once

#include <string>
#include <vector>

#include "reference/angiogenesis/operators.hpp"

namespace reprise::reference::angiogenesis {

using reprise::angiogenesis::parameters;
using reprise::angiogenesis::start;

// slow  S1, the default      fast  S2, of the authors' public program
enum class rates { slow, fast };
constexpr double usual_dt = 1e-3;

parameters stated_parameters(rates which);
problem stated_problem(rates which, taxis reading, start from, int nodes, double dt);

// x = i / (M - 1).
long double coordinate(int node, int nodes);

struct stated_case {
  std::string name;
  problem what;
  int steps;
};
std::vector<stated_case> stated_cases();

// The members of a study of `count` sets: each parameter is multiplied by 0.8 + 0.4 frac((k + 1) sqrt(q)), q
// the prime number that belongs to the parameter.
std::vector<parameters> stated_study(int count, const parameters& around);

// A value with the sum of the magnitudes of the terms that it is made of, to which rounding is relative.
struct sized {
  long double value{}, size{};
};

// N(U) node by node, by the formulas as they are written, C, P, I and F.
std::vector<sized> stated_rates(const problem& p, const state& u);
// The integral of C by the composite trapezoidal rule.
sized stated_mass(const problem& p, const state& u);

}  // namespace reprise::reference::angiogenesis
