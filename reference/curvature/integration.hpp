// SPDX-License-Identifier: MIT
// Integration of the semi-discrete system in time by Boost.odeint, by a direct Algorithm 4.1, and by a direct
// Runge-Kutta-Chebyshev method.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "solvers/curvature/problem.hpp"

namespace reprise::reference::curvature {

using problem = reprise::curvature::problem;
using integrator = reprise::curvature::integrator;

struct stepped {
  std::vector<double> u;
  double error{};  // e of the last step, (27)
};

// Takes `count` steps of length tau by Merson's method from u0 at t = 0, all of them accepted. Boost.odeint
// steps with Merson's tableau.
stepped merson_steps(const problem& p, double tau, int count);

// The same by the Chebyshev method, with as many stages as each step needs.
stepped chebyshev_steps(const problem& p, double tau, int count);

struct integrated {
  std::vector<double> u;
  long steps{};
};

// Integrates the semi-discrete system to t_end by Boost.odeint's controlled Fehlberg 7(8). `tolerance` is
// both the absolute and the relative tolerance.
integrated integrate(const problem& p, double t_end, double tolerance);

struct attempted {
  double tau{};
  double error{};  // e of (27), or the Chebyshev method's
  bool is_accepted{};
  bool sets_step{};  // false if a stop cut it and it was accepted
};

// Algorithm 4.1, or the Chebyshev method, between two attempts.
struct integration {
  std::vector<double> u;
  double t{};
  double wanted{};  // the step before it is cut at a stop
  double error{};   // e of the last attempt
  long long accepted{};
  long long rejected{};
  long long evaluations{};          // of the right-hand side
  std::vector<attempted> attempts;  // all, in order
};

struct rules {
  double eps{};
  long long most_attempts{std::numeric_limits<long long>::max()};
  integrator method{integrator::merson};
};

enum class ending { reached, step_underflow, too_many_attempts };

// Continues to t_end and hits it exactly. A step that t_end cuts and that is accepted leaves `wanted` as it
// was, an error of zero counts as the smallest normal number, and after an error that is not a number a tenth
// of the step is tried. Gives up if the step no longer advances the time, or after too many attempts. The next
// step of the Chebyshev method is between a tenth of the step and ten times it, and no longer than
// 1000 stages reach.
ending advance(const problem& p, integration& run, double t_end, const rules& r);

struct adaptive_run {
  std::vector<double> u;  // at the last sample time
  long long accepted{};
  long long rejected{};
};

using sample_listener = std::function<void(double t, const std::vector<double>& u)>;

// Algorithm 4.1 from u0 at t = 0 through increasing sample times. Steps are cut to hit each sample time
// exactly; after an accepted cut step the length from before the cut is used again. Throws std::runtime_error
// if the step becomes too small to advance the time.
adaptive_run merson_adaptive(const problem& p, const std::vector<double>& sample_times, double eps,
                             double first_step, const sample_listener& at_sample = {});

// The same by either method.
adaptive_run adaptive(const problem& p, const std::vector<double>& sample_times, const rules& r,
                      double first_step, const sample_listener& at_sample = {});

}  // namespace reprise::reference::curvature
