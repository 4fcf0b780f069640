// SPDX-License-Identifier: MIT
// The flow of a graph by mean curvature or by the Willmore functional, as plain data: domain, grid, initial
// surface and boundary condition. Place: section 2, problems 2.1 and 2.2; section 5.
#pragma once

#include <vector>

#include "solvers/curvature/grid.hpp"

namespace reprise::curvature {

struct problem : grid {
  std::vector<double> u0;
};

// The functions below throw bad_input for fewer than two cells per side, or more nodes than an int can count.
//
// The problem with the exact solution zeta: n = r = sigma = 1 in (30), L = 4.
problem manufactured_problem(flow motion, int cells_x, int cells_y);
// The surface (35) with Neumann borders, L = 2.
problem evolution_problem(flow motion, int cells_x, int cells_y);
// The grids of these problems without the surfaces, for planning.
grid manufactured_grid(flow motion, int cells_x, int cells_y);
grid evolution_grid(flow motion, int cells_x, int cells_y);
// A surface without any symmetry, L = 2. It reveals errors that the paper's symmetric surfaces cannot.
problem skew_problem(flow motion, boundary at_border, int cells_x, int cells_y);

// The explicit scheme is unstable above this step where the surface is flat: Merson's limit on the real axis
// divided by the largest eigenvalue.
double largest_stable_step(const grid& g);

// merson     Algorithm 4.1 of the paper
// chebyshev  a stabilised method of second order, beyond the paper (stabilised.hpp)
enum class integrator { merson, chebyshev };

// Controls how a step is chosen.
struct control {
  double eps{};         // absolute tolerance for the error of a step: Merson's e of (27), or Chebyshev's
  double first_step{};  // tau_0
  bool fixed_steps{};   // all steps are first_step long and accepted, for comparisons
  long long most_attempts{};  // number of attempts after which a run is given up
};

// Throws bad_input if t_end or eps is not a positive number.
control make_control(const grid& g, double t_end, double eps);
control fixed_steps(double tau);

}  // namespace reprise::curvature
