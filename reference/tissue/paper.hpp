// SPDX-License-Identifier: MIT
// The paper's problems by their own literals. Nothing here asks the solvers for a coefficient, a spacing or an
// initial state, so that a wrong one there is a difference and not right by definition.
// Place: sections 2 and 3; what the paper leaves out is in published/assumptions.md.
#pragma once

#include "reference/tissue/kinetics.hpp"
#include "solvers/tissue/problem.hpp"

namespace reprise::reference::tissue {

using state = std::vector<std::vector<double>>;  // [field][cell], i running fastest

// Where an integration begins: a hill on tissue at rest, a lower hill on a plateau, a wave with a step across it.
enum class beginning { hill, lifted, spiral };

namespace paper {

using reprise::tissue::method;
using reprise::tissue::model;
using reprise::tissue::problem;

constexpr double steepness = 28.4;  // section 2, after the definition of H

int fields(model m);
int stages(method m);
// Section 2: delta of FitzHugh-Nagumo, gamma of Karma, D of Bueno-Orovio; zero for fields that do not diffuse.
double diffusion(model m, int field);
double spacing(model m);
// The largest step that damps every mode of diffusion: all eigenvalues of (6) lie within 16 / (3 dx^2).
double step_limit(model m, method how, double dx);

// One value for each field, with the problem's switches.
std::vector<double> rest(const problem& p);
// The initial state on the problem's grid. It rests under the paper's own switches, whatever a problem replaces them by,
// so that all choices begin alike.
state initial_state(beginning from, const problem& p);

// The second stimulus of Bueno-Orovio's spiral: its time, and u after it.
constexpr double stimulus_ms = 345;
std::vector<double> after_stimulus(const problem& p, const std::vector<double>& u);

}  // namespace paper
}  // namespace reprise::reference::tissue
