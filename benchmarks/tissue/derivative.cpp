// SPDX-License-Identifier: MIT
// Measures derivatives by differences of runs.
#include "benchmarks/tissue/derivative.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

namespace reprise::harness::tissue_cases {
namespace {

namespace check = verification::tissue;
namespace exact = reference::tissue;

exact::state end_of(const loaded& on, long steps, double shift, precision arithmetic) {
  on.solver.load(check::shifted(on.problem, shift), on.method, on.dt, arithmetic);
  on.solver.step(steps);
  return on.solver.state();
}

exact::state quotient(const exact::state& a, const exact::state& b, double difference) {
  exact::state q = a;
  for (std::size_t f = 0; f < q.size(); ++f)
    for (std::size_t cell = 0; cell < q[f].size(); ++cell)
      q[f][cell] = (a[f][cell] - b[f][cell]) / difference;
  return q;
}

}  // namespace

found derivative_error(const loaded& on, long steps) {
  // A central difference of this size errs by its square and by rounding over it, below 1e-9; where cells cross the
  // kinks of a switch, by a part of itself.
  constexpr double fine = 1e-5;
  const exact::state best = quotient(end_of(on, steps, fine, precision::double_),
                                     end_of(on, steps, -fine, precision::double_), 2 * fine);
  const exact::state undisturbed = end_of(on, steps, 0, on.arithmetic);
  double least = std::numeric_limits<double>::infinity();
  double least_at = 0;
  for (int digits = 1; digits <= 9; ++digits) {
    const double shift = std::pow(10, -digits);
    const double error =
        exact::relative_error(quotient(end_of(on, steps, shift, on.arithmetic), undisturbed, shift), best);
    if (error >= least) continue;
    least = error;
    least_at = shift;
    if (std::isnan(error)) break;
  }
  on.solver.load(on.problem, on.method, on.dt, on.arithmetic);
  return {"derivative_error", least, "1", fmt::format("with a difference of {:g}", least_at)};
}

}  // namespace reprise::harness::tissue_cases
