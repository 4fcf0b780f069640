// SPDX-License-Identifier: MIT
// CVODE's backward differentiation formulas of orders 1 to 5 with Newton's method and GMRES. GMRES only needs
// products with the Jacobian, which are computed by differences of F.
// Place: none; CVODE's method for stiff problems, whereas section 5.2.1 is about explicit solvers.
#include <sunlinsol/sunlinsol_spgmr.h>

#include "solvers/atrium/cvode_solver.hpp"

namespace reprise::atrium {
namespace {

cvode_iteration newton_krylov(void* memory, N_Vector like, SUNContext context) {
  cvode_iteration how;
  constexpr int vectors = 0;  // of the Krylov space; 0 is CVODE's default, 5
  how.linear = REPRISE_SUNDIALS(SUNLinSol_SPGMR(like, SUN_PREC_NONE, vectors, context));
  REPRISE_SUNDIALS(CVodeSetLinearSolver(memory, how.linear.get(), nullptr));
  return how;
}

class cvode_bdf final : public cvode_solver {
 public:
  explicit cvode_bdf(const device& d) : cvode_solver(d, CV_BDF, newton_krylov) {}
};

REPRISE_VARIANT(solver, cvode_bdf,
                {.summary = "CVODE's backward differentiation with matrix-free GMRES, all cores",
                 .place = "",
                 .precisions = {precision::double_},
                 .per_unit = cvode_solver::cvode_work()});

}  // namespace
}  // namespace reprise::atrium
