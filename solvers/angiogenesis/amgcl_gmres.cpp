// SPDX-License-Identifier: MIT
// AMGCL's GMRES with algebraic multigrid as its preconditioner, on all cores.
// Place: section 5.6, Table 6, where AmgX does this with aggregation, Jacobi smoothing and a
// tolerance whose digits are lost.
// Formula: min |b - A x| over Krylov spaces of 30, until it is below 1e-13 |b|.
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/damped_jacobi.hpp>
#include <amgcl/solver/gmres.hpp>
#include <memory>
#include <tuple>

#include "solvers/angiogenesis/multigrid_gmres.hpp"

namespace reprise::angiogenesis {
namespace {

using amg_backend = amgcl::backend::builtin<double>;
using iteration = amgcl::make_solver<
    amgcl::amg<amg_backend, amgcl::coarsening::aggregation, amgcl::relaxation::damped_jacobi>,
    amgcl::solver::gmres<amg_backend>>;

class amgcl_gmres final : public multigrid_gmres {
 public:
  explicit amgcl_gmres(const device&) {}

 protected:
  void prepare() override {
    require_dominance();
    begin_.assign(a().row_begin.begin(), a().row_begin.end());
    column_.assign(a().column.begin(), a().column.end());
    answer_.resize(a().size());
    right_.resize(a().size());
  }

  void factorise() override {
    iteration::params how;
    how.precond.coarse_enough = 40;  // the default, 3000, would solve all of this matrix directly
    how.solver.tol = stop_at;
    how.solver.maxiter = most_iterations;
    how.solver.M = krylov_vectors;
    iteration_ = std::make_unique<iteration>(std::tie(a().order, begin_, column_, a().value), how);
    charge(effort_.seconds.factorise);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    const double scale = scale_of(b);
    for (std::size_t k = 0; k < b.size(); ++k) right_[k] = b[k] / scale;
    std::fill(answer_.begin(), answer_.end(), 0.0);
    const auto [rounds, residual] = (*iteration_)(right_, answer_);
    account(static_cast<long long>(rounds), residual);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = answer_[k] * scale;
    charge(effort_.seconds.forward);
  }

 private:
  std::vector<std::ptrdiff_t> begin_, column_;
  std::vector<double> right_, answer_;
  std::unique_ptr<iteration> iteration_;
};

REPRISE_VARIANT(solver, amgcl_gmres,
                {.summary = "AMGCL's GMRES with algebraic multigrid, all cores",
                 .place = "section 5.6, Table 6",
                 .precisions = {precision::double_},
                 .per_unit = work_of_example(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
