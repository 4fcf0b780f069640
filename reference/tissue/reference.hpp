// SPDX-License-Identifier: MIT
// What tissue answers are measured against: equations (3), (4) and (5) cell by cell, diffusion as a sparse
// matrix, the paper's fixed steps, and two integrations whose error is far below theirs.
#pragma once

#include <Eigen/SparseCore>
#include <array>
#include <vector>

#include "solvers/tissue/problem.hpp"

namespace reprise::reference::tissue {

using problem = reprise::tissue::problem;
using reprise::tissue::method;
using reprise::tissue::switch_form;

using state = std::vector<std::vector<double>>;  // [field][cell], i running fastest

// A state with other fields or another length than the problem's, a method that its model has not, or a time
// or step that is no sensible number, throws std::invalid_argument.

// H at x: 0 below its layer, 1 above, 1/2 in the middle, the jump's too.
double switched(switch_form form, double steepness, double x);

// 6 dx^2 times the Laplacian: weights 4 on the axes, 1 on the diagonals, -20 at the centre, those of ghost
// cells on the cells whose value they have.
Eigen::SparseMatrix<double, Eigen::RowMajor> weights_of(const problem& p);

// dz/dt, diffusion included.
state rate(const problem& p, const state& z);

// A gate of Bueno-Orovio (v, w, s) obeys y' = a y + b.
struct line {
  double a, b;
};
std::array<line, 3> gates_of(const problem& p, double u);

// `count` fixed steps from state0. Implicit Euler and Rush-Larsen freeze the gates' a and b at the old u, and
// take u by explicit Euler from the old gates.
state steps(const problem& p, method m, double dt, long count);

// From state0 to t_end by Dormand and Prince's method with error control. No step lets a u cross more than a
// quarter of a switch layer: an error estimate that sees a kink in none of its stages is blind to it. Form
// heaviside and sharp constants have no layer; there the tolerance is a hope. Throws std::runtime_error where
// the tolerance would take steps too small to advance the time.
state integrate(const problem& p, double t_end, double tolerance);

// By classic Runge-Kutta in long double with steps of at most dt, rounded once at the end: tells the error of
// double arithmetic from that of a step. The models' constants are the same doubles. For small grids.
state integrate_precisely(const problem& p, double t_end, double dt);

// ||u - u_ref||_2 / ||u_ref||_2, of u alone and of all fields stacked. Not a number where a state has one,
// or the two have different lengths; the distance itself where the reference is zero.
double relative_error(const state& z, const state& reference);
double relative_error_of_all(const state& z, const state& reference);

}  // namespace reprise::reference::tissue
