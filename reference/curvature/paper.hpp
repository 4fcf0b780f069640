// SPDX-License-Identifier: MIT
// The paper's problems by the reference's own literals: domain, nodes, initial surfaces, times and the limit of
// the step. Nothing here reads a coordinate, a spacing or a step from the solvers, so that a wrong one of theirs
// is seen.
#pragma once

#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::reference::curvature {

using problem = reprise::curvature::problem;

// Node (i, j) with i = 0 ... N1, j = 0 ... N2. Place: section 2, before (17).
double half_width(const problem& p);
double spacing_x(const problem& p);
double spacing_y(const problem& p);
double x_at(const problem& p, int i);
double y_at(const problem& p, int j);

// evolution  (35), from which Figs 1 and 2 start
// skew       a surface of ours without any symmetry; with a manufactured border it is zeta at t = 0
enum class start { skew, evolution };
std::vector<double> initial_surface(const problem& p, start from);

// The longest step that is stable on a flat surface.
double stable_step(const problem& p);

// The sample times of Tables 2 to 7, section 5.1: T = 0.1 in M = 20 intervals.
std::vector<double> table_times();
// The times after t = 0 at which Figs 1 and 2 show the surface.
std::vector<double> figure_times(reprise::curvature::flow motion);

}  // namespace reprise::reference::curvature
