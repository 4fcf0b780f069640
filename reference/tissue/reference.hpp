// SPDX-License-Identifier: MIT
// Reference answers for tissue: equations (3), (4) and (5) cell by cell, diffusion as a sparse matrix, the
// paper's fixed steps, and two integrations whose error is far below that of those steps.
#pragma once

#include "reference/tissue/semi_discrete.hpp"

namespace reprise::reference::tissue {

// All functions throw std::invalid_argument if a state has the wrong number of fields or cells, if the model
// does not support the method, or if a time, step or tolerance is not positive and finite.

// Takes `count` steps of length dt from state0. Implicit Euler and Rush-Larsen freeze the gates' a and b at
// the old u; both advance u by explicit Euler with the old gates.
state steps(const problem& p, method m, double dt, long count);

// Integrates from state0 to t_end by Dormand and Prince's method with error control. No step lets u cross
// more than a quarter of a switch layer in any cell, because the error estimate misses a kink that falls
// between the stages. Form heaviside and sharp constants have no layer, so there the error may exceed the
// tolerance. Throws std::runtime_error if the step becomes too small to advance the time.
state integrate(const problem& p, double t_end, double tolerance);
// The same in long double, rounded once at the end: for tolerances near the rounding of double.
state integrate_in_long_double(const problem& p, double t_end, double tolerance);

// Integrates by classic Runge-Kutta in long double with steps of at most dt, rounded once at the end. This
// separates rounding errors of double arithmetic from the method's error. The models' constants keep their
// double values. Meant for small grids.
state integrate_precisely(const problem& p, double t_end, double dt);

}  // namespace reprise::reference::tissue
