// SPDX-License-Identifier: MIT
// The paper's steps by Eigen and in long double, and the semi-discrete system integrated by Boost.odeint.
#pragma once

#include <functional>
#include <memory>

#include "reference/angiogenesis/operators.hpp"

namespace reprise::reference::angiogenesis {

// Source terms added to the right-hand side at time t.
using source = std::function<state(double t)>;

struct stepped {
  state u;
  long long clipped{};    // number of negative values set to 0, over all steps
  long long near_zero{};  // number of values before clipping that rounding may make negative or not
  double least{};         // smallest value before clipping, if negative
  // The part of C's mass, relative to it, that growth and clipping do not explain.
  double mass_defect{};
};

// Take `count` of the paper's steps from u0: A U' = B U + dt (N(U) + source), then max(U', 0).
// steps() uses Eigen's sparse LU in double; steps_precisely() solves three tridiagonal systems in
// long double and rounds at the end.
stepped steps(const problem& p, int count, const source& add = {});
stepped steps_precisely(const problem& p, int count, const source& add = {});

// Repeats parts of a run in long double from states that a solver reached.
class repeated_steps {
 public:
  explicit repeated_steps(const problem& p, source add = {});
  ~repeated_steps();
  repeated_steps(const repeated_steps&) = delete;
  repeated_steps& operator=(const repeated_steps&) = delete;

  // The state that `count` steps make of u, which is the state after the first `first` steps.
  state after(const state& u, long first, long count) const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

// Integrates U' = L U + N(U) from u0 to t_end by Boost.odeint's controlled Fehlberg 7(8). `tolerance` is both
// the absolute and the relative tolerance. Negative values are not clipped.
state integrate(const problem& p, double t_end, double tolerance);

}  // namespace reprise::reference::angiogenesis
