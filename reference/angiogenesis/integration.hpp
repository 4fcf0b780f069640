// SPDX-License-Identifier: MIT
// The paper's steps by Eigen and in long double, and the semi-discrete system integrated by Boost.odeint.
#pragma once

#include <functional>

#include "reference/angiogenesis/operators.hpp"

namespace reprise::reference::angiogenesis {

// Source terms added to the right-hand side at time t.
using source = std::function<state(double t)>;

struct stepped {
  state u;
  long long clipped{};  // number of negative values set to 0, over all steps
};

// Take `count` of the paper's steps from u0: A U' = B U + dt (N(U) + source), then max(U', 0).
// steps() uses Eigen's sparse LU in double; steps_precisely() solves three tridiagonal systems in
// long double and rounds at the end.
stepped steps(const problem& p, int count, const source& add = {});
stepped steps_precisely(const problem& p, int count);

// Integrates U' = L U + N(U) from u0 to t_end by Boost.odeint's controlled Fehlberg 7(8). `tolerance` is both
// the absolute and the relative tolerance. Negative values are not clipped.
state integrate(const problem& p, double t_end, double tolerance);

}  // namespace reprise::reference::angiogenesis
