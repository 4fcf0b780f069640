// SPDX-License-Identifier: MIT
// The derivative of a run's end by differences of runs, as matrix-free Newton-Krylov methods take it.
#pragma once

#include "benchmarks/harness/subject.hpp"
#include "benchmarks/tissue/timed_run.hpp"

namespace reprise::harness::tissue_cases {

// The error of the derivative of u after so many steps in the direction of a shift of all fields, with the best
// difference, relative to the derivative by central differences in double precision. Leaves the solver loaded with the
// problem.
found derivative_error(const loaded& on, long steps);

}  // namespace reprise::harness::tissue_cases
