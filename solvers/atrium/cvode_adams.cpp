// SPDX-License-Identifier: MIT
// CVODE's Adams-Moulton methods of orders 1 to 12 with fixed-point iteration: no Jacobian, so that steps are
// bounded by the stiffest gate as in an explicit method. Place: section 5.2.1, what the paper calls CVODE.
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "solvers/atrium/cvode_solver.hpp"

namespace reprise::atrium {
namespace {

cvode_iteration fixed_point(void* memory, N_Vector like, SUNContext context) {
  cvode_iteration how;
  constexpr int accelerated_by = 0;  // vectors of Anderson's method
  how.nonlinear = REPRISE_SUNDIALS(SUNNonlinSol_FixedPoint(like, accelerated_by, context));
  REPRISE_SUNDIALS(CVodeSetNonlinearSolver(memory, how.nonlinear.get()));
  return how;
}

class cvode_adams final : public cvode_solver {
 public:
  explicit cvode_adams(const device& d) : cvode_solver(d, CV_ADAMS, fixed_point) {}
};

REPRISE_VARIANT(solver, cvode_adams,
                {.summary = "CVODE's Adams methods with fixed-point iteration, all cores",
                 .place = "section 5.2.1",
                 .precisions = {precision::double_},
                 .per_unit = cvode_solver::cvode_work(),
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::atrium
