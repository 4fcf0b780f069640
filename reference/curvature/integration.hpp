// SPDX-License-Identifier: MIT
// Integration of the semi-discrete system in time by Boost.odeint and by a direct Algorithm 4.1.
#pragma once

#include <functional>
#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::reference::curvature {

using problem = reprise::curvature::problem;

struct stepped {
  std::vector<double> u;
  double error{};  // e of the last step, (27)
};

// Takes `count` steps of length tau by Merson's method from u0 at t = 0, all of them accepted. Boost.odeint
// steps with Merson's tableau.
stepped merson_steps(const problem& p, double tau, int count);

struct integrated {
  std::vector<double> u;
  long steps{};
};

// Integrates the semi-discrete system to t_end by Boost.odeint's controlled Fehlberg 7(8). `tolerance` is
// both the absolute and the relative tolerance.
integrated integrate(const problem& p, double t_end, double tolerance);

struct merson_run {
  std::vector<double> u;  // at the last sample time
  long long accepted{};
  long long rejected{};
};

using sample_listener = std::function<void(double t, const std::vector<double>& u)>;

// Algorithm 4.1 from u0 at t = 0 through increasing sample times. Steps are cut to hit each sample time
// exactly; after an accepted cut step the length from before the cut is used again. Throws std::runtime_error
// if the step becomes too small to advance the time.
merson_run merson_adaptive(const problem& p, const std::vector<double>& sample_times, double eps,
                           double first_step, const sample_listener& at_sample = {});

}  // namespace reprise::reference::curvature
