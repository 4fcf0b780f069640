// SPDX-License-Identifier: MIT
// States that reach every branch of a model: both sides of each switch and its ends, each tanh's rise, and values
// beyond what tissue has. A smooth initial state passes the ends of a layer in few cells, or in none.
#pragma once

#include <vector>

#include "solvers/tissue/problem.hpp"

namespace reprise::verification::tissue {

// The step with which these states are advanced: long enough that a wrong term stands out from rounding, short enough
// that no cell leaves the range in which the models are stiff but finite.
constexpr double branch_dt = .01;

// The values of u: the thresholds and the ends of their layers, each also a little below and above.
std::vector<double> branch_values(const reprise::tissue::problem& p);

// A problem of `nx` x `ny` cells whose neighbours have unlike values. Its spacing is thirty times the usual one, so
// that diffusion does not move the cells away from their switches. Throws bad_input if the cells are too few for all
// values with all sets of gates.
reprise::tissue::problem branch_problem(reprise::tissue::model m, int nx, int ny);
// Sets the initial state anew after the problem's switches have changed.
void set_branch_values(reprise::tissue::problem& p);

}  // namespace reprise::verification::tissue
