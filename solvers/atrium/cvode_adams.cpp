// SPDX-License-Identifier: MIT
// CVODE's Adams-Moulton methods of orders 1 to 12 with fixed-point iteration.
// Place: section 5.2.1, where the paper calls this CVODE.
// There is no Jacobian, so the stiffest gate limits the steps as in an explicit method.
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "solvers/atrium/cvode_solver.hpp"

namespace reprise::atrium {
namespace {

cvode_iteration fixed_point(void* memory, N_Vector like, SUNContext context) {
  cvode_iteration how;
  constexpr int accelerated_by = 0;  // number of vectors of Anderson acceleration
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
                 .per_unit = cvode_solver::cvode_work()});

}  // namespace
}  // namespace reprise::atrium
