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

#include "solvers/angiogenesis/host_solver.hpp"

namespace reprise::angiogenesis {
namespace {

constexpr double stop_at = 1e-13;
constexpr int most_iterations = 2000;

using amg_backend = amgcl::backend::builtin<double>;
using iteration = amgcl::make_solver<
    amgcl::amg<amg_backend, amgcl::coarsening::aggregation, amgcl::relaxation::damped_jacobi>,
    amgcl::solver::gmres<amg_backend>>;

class amgcl_gmres final : public host_solver {
 public:
  explicit amgcl_gmres(const device&) {}

  // An iteration multiplies by the matrix twice, smooths twice, and orthogonalises against up to 30 vectors.
  work per_solve() const override {
    const double n = a().order, entries = static_cast<double>(a().value.size());
    const double rounds = effort_.solves > 0
                              ? static_cast<double>(effort_.iterations) / static_cast<double>(effort_.solves)
                              : 10;
    return {.bytes_logical = rounds * (4 * entries * 12 + 20 * n * 8),
            .bytes_dram = entries * 12 + n * 16,
            .bytes_dram_once = 0,
            .flops = rounds * (8 * entries + 20 * n)};
  }
  double tolerance() const override { return stop_at; }

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
    how.solver.M = 30;
    iteration_ = std::make_unique<iteration>(std::tie(a().order, begin_, column_, a().value), how);
    charge(effort_.seconds.factorise);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    // Norms are sums of squares, which would overflow long before the values do, hence the scaling.
    double scale = 0;
    for (double value : b) scale = std::max(scale, std::abs(value));
    if (scale == 0) scale = 1;
    for (std::size_t k = 0; k < b.size(); ++k) right_[k] = b[k] / scale;
    std::fill(answer_.begin(), answer_.end(), 0.0);
    const auto [rounds, residual] = (*iteration_)(right_, answer_);
    effort_.iterations += static_cast<long long>(rounds);
    // Rounding errors may keep the true residual slightly above the tolerance.
    if (!(residual < 100 * stop_at))
      throw error("GMRES stopped after " + std::to_string(rounds) + " iterations above its tolerance");
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = answer_[k] * scale;
    charge(effort_.seconds.forward);
  }

 private:
  // Throws unavailable unless the matrix is diagonally dominant. Jacobi's smoothing and the coarse grids rely
  // on this, and the model's matrix has this property.
  void require_dominance() const {
    for (std::size_t row = 0; row < a().size(); ++row) {
      double excess = 0;
      for (std::size_t e = a().begin(row); e < a().end(row); ++e)
        excess += a().column[e] == static_cast<int>(row) ? std::abs(a().value[e]) : -std::abs(a().value[e]);
      if (!(excess > 0))
        throw unavailable("solves matrices dominated by their diagonal only: row " + std::to_string(row) +
                          " is not");
    }
  }

  std::vector<std::ptrdiff_t> begin_, column_;
  std::vector<double> right_, answer_;
  std::unique_ptr<iteration> iteration_;
};

REPRISE_VARIANT(solver, amgcl_gmres,
                {.summary = "AMGCL's GMRES with algebraic multigrid, all cores",
                 .place = "section 5.6, Table 6",
                 .precisions = {precision::double_},
                 .per_unit = {.bytes_logical = 10 * (4 * 4394 * 12 + 20 * 1600 * 8.0),
                              .bytes_dram = 4394 * 12 + 1600 * 16.0,
                              .bytes_dram_once = 0,
                              .flops = 10 * (8 * 4394 + 20 * 1600.0)},
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
