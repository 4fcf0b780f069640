// SPDX-License-Identifier: MIT
// The flow of a graph by its mean curvature or by the Willmore functional, as plain data: domain, grid,
// initial surface, and what holds at the border. Place: section 2, problems 2.1 and 2.2; section 5.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace reprise::curvature {

enum class flow { mean_curvature, willmore };
constexpr std::array<flow, 2> all_flows{flow::mean_curvature, flow::willmore};
std::string_view to_string(flow f);

// manufactured  zeta of (30) at the border, and the forcing that makes zeta the exact solution
// dirichlet     the initial values stay at the border, no forcing
// neumann       no slope across the border, no forcing
// In both Dirichlet settings w is zero at the border of a Willmore flow.
enum class setting { manufactured, dirichlet, neumann };
constexpr std::array<setting, 3> all_settings{setting::manufactured, setting::dirichlet, setting::neumann};
std::string_view to_string(setting s);

// Node (i, j) is at (-L + i h_x, -L + j h_y), i = 0 ... cells_x, j = 0 ... cells_y; values are stored with i
// running fastest.
struct grid {
  flow what{};
  setting how{};
  int cells_x{};
  int cells_y{};
  double half_width{};  // L

  int nodes_x() const { return cells_x + 1; }
  int nodes_y() const { return cells_y + 1; }
  std::size_t nodes() const {
    return static_cast<std::size_t>(nodes_x()) * static_cast<std::size_t>(nodes_y());
  }
  double h_x() const { return 2 * half_width / cells_x; }
  double h_y() const { return 2 * half_width / cells_y; }
  double x(int i) const { return -half_width + i * h_x(); }
  double y(int j) const { return -half_width + j * h_y(); }
};

struct problem : grid {
  std::vector<double> u0;
};

// Throw bad_input for fewer than two cells a side, or more nodes than an int can count.
// The one with the exact solution zeta: n = r = sigma = 1 in (30), L = 4.
problem manufactured_problem(flow what, int cells_x, int cells_y);
// The surface (35) with Neumann borders, L = 2.
problem evolution_problem(flow what, int cells_x, int cells_y);
// Their grids alone, for planning.
grid manufactured_grid(flow what, int cells_x, int cells_y);
grid evolution_grid(flow what, int cells_x, int cells_y);
// A surface without any symmetry, L = 2, that tells apart what the paper's symmetric ones cannot.
problem skew_problem(flow what, setting how, int cells_x, int cells_y);

// Above this step the explicit scheme is unstable where the surface is flat: Merson's limit on the real axis
// over the largest eigenvalue.
double largest_stable_step(const grid& g);

// How Merson's step is chosen.
struct control {
  double eps{};               // the tolerance of (27), absolute
  double first_step{};        // tau_0
  bool fixed_steps{};         // all of the first step's length and accepted: to compare step by step
  long long most_attempts{};  // of a run, before it is given up
};

// Throws bad_input where t_end or eps is not a positive number.
control make_control(const grid& g, double t_end, double eps);
control fixed_steps(double tau);

}  // namespace reprise::curvature
