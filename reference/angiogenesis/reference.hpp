// SPDX-License-Identifier: MIT
// What angiogenesis answers are measured against: the operators as matrices, the right-hand side made of
// them, the paper's steps by Eigen and in long double, the semi-discrete system by Boost.odeint, a
// manufactured solution, and what is known of the step's matrix beforehand.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <functional>
#include <vector>

#include "solvers/angiogenesis/problem.hpp"

namespace reprise::reference::angiogenesis {

using problem = reprise::angiogenesis::problem;
using reprise::angiogenesis::field;
using reprise::angiogenesis::taxis;

using sparse = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using state = Eigen::VectorXd;  // C, P, I, F

// A state of another length than the problem's, or a time or step that is no sensible number, throws
// std::invalid_argument.

sparse linear_operator(const problem& p);                // L
sparse implicit_matrix(const problem& p);                // A
sparse explicit_matrix(const problem& p);                // B
state nonlinear_rate(const problem& p, const state& u);  // N(U)
state rate(const problem& p, const state& u);            // L U + N(U)

// Sources at time t.
using source = std::function<state(double t)>;

struct stepped {
  state u;
  long long clipped{};  // values that were negative, over all steps
};

// `count` of the paper's steps from u0: A U' = B U + dt (N(U) + source), then max(U', 0). The first by
// Eigen's sparse LU in double, the second by three tridiagonal systems in long double, rounded at the end.
stepped steps(const problem& p, int count, const source& add = {});
stepped steps_precisely(const problem& p, int count);

// U' = L U + N(U) from u0 to t_end by Boost.odeint's controlled Fehlberg 7(8); both its tolerances are
// `tolerance`. Nothing is clipped.
state integrate(const problem& p, double t_end, double tolerance);

// A solution without slopes at both ends, whose C vanishes at x = 0 where T has a slope: there the readings
// of the taxis terms stand for different walls. And the sources that make it exact.
state manufactured(const problem& p, double t);
state manufactured_source(const problem& p, double t);

// The integral of a field by the composite trapezoidal rule.
double mass(const problem& p, const state& u, field which);
// By how much N and L change the mass of C each time beyond k1 C (1 - C): zero for a conservative scheme.
double mass_source_of_taxis(const problem& p, const state& u);

// A x = b in long double, for the problem's own A by its structure and for any other by partial pivoting.
state solve_precisely(const problem& p, const state& b);
state solve_precisely(const Eigen::MatrixXd& a, const state& b);

// ||A|| ||A^-1|| in the maximum norm. A is an M-matrix: the row sums of its inverse are A^-1 (1, ..., 1).
double condition(const problem& p);

struct pivoting {
  double condition;  // in the maximum norm
  double growth;     // max |u_ij| / max |a_ij| with partial pivoting
};
pivoting examine(const Eigen::MatrixXd& a);

// The columns at which partial pivoting swaps rows of A: the last but one of a field that diffuses, where the
// last row's 2 r, doubled by its ghost node, exceeds the pivot p_(M-2), p_0 = 1 + 2r + s,
// p_1 = p_0 - 2 r^2 / p_0, p_k = p_0 - r^2 / p_(k-1), r = dt d / (2 h^2), s = dt k6 / 2 for P.
std::vector<int> swapped_columns(const problem& p);

}  // namespace reprise::reference::angiogenesis
