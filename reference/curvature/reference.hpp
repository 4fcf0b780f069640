// SPDX-License-Identifier: MIT
// What curvature answers are measured against: the exact solution and a forcing of its own derivation, the
// scheme in flux form over edges, its integration in time by Boost.odeint and by a plain Algorithm 4.1, and
// the quantities that the paper measures.
#pragma once

#include <functional>
#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::reference::curvature {

using problem = reprise::curvature::problem;

// Surfaces are nodes() values, i running fastest. A surface of another length, or an exact solution asked of
// a problem that has none, throws std::invalid_argument.

// zeta at all nodes.
std::vector<double> exact(const problem& p, double t);

// F at all nodes, zero where the setting has none: by Taylor arithmetic on zeta, not from a formula.
std::vector<double> forcing(const problem& p, double t);

// Gives the border nodes their values at time t. Neumann: copies of the inner neighbours, columns first.
void impose_border(const problem& p, double t, std::vector<double>& u);

// du/dt at the inner nodes, zero at the border, with the border imposed on u first.
std::vector<double> rate(const problem& p, double t, std::vector<double> u);

struct stepped {
  std::vector<double> u;
  double error{};  // e of the last step, (27)
};

// Merson's method with steps of one length, all accepted, from u0 at t = 0: Boost.odeint with his tableau.
stepped merson_steps(const problem& p, double tau, int count);

struct integrated {
  std::vector<double> u;
  long steps{};
};

// The semi-discrete system up to t_end by Boost.odeint's controlled Fehlberg 7(8), whose absolute and
// relative tolerances are both `tolerance`.
integrated integrate(const problem& p, double t_end, double tolerance);

struct merson_run {
  std::vector<double> u;  // at the last sample time
  long long accepted{};
  long long rejected{};
};

using sample_listener = std::function<void(double t, const std::vector<double>& u)>;

// Algorithm 4.1 from u0 at t = 0 through rising sample times, each hit exactly by cutting a step; an accepted
// step that was cut leaves the next one as it was. Throws std::runtime_error where the steps underflow.
merson_run merson_adaptive(const problem& p, const std::vector<double>& sample_times, double eps,
                           double first_step, const sample_listener& at_sample = {});

// Area of the surface: Q of the bilinear interpolation, two by two Gauss points a cell.
double area(const problem& p, const std::vector<double>& u);

// Integral of H^2 Q over the inner nodes, H = div(grad u / Q) as the scheme has it.
double willmore_energy(const problem& p, const std::vector<double>& u);

struct norms {
  double l1, l2, linf;
};

// (31)-(33): errors against zeta in the norms of L1, L2 and Linf over space and time. Every sample added
// weighs theta, the first and the last too, and so does every node: M intervals have M + 1 samples.
class space_time_norms {
 public:
  explicit space_time_norms(double theta) : theta_(theta) {}
  void add(const problem& p, const std::vector<double>& u, double t);
  norms result() const;

 private:
  double theta_;
  double sum_{};
  double sum_of_squares_{};
  double largest_{};
};

}  // namespace reprise::reference::curvature
