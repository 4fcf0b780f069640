// SPDX-License-Identifier: MIT
// LAPACK's dgetrf and dgetrs, on as many cores as the library uses.
// Place: none; the CPU's counterpart of the vendor's libraries in section 5.6, Table 6.
// Formula: P A = L U, stored by columns.
#include <lapacke.h>

#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/base/aligned.hpp"

namespace reprise::angiogenesis {
namespace {

class lapack_lu final : public host_solver {
 public:
  explicit lapack_lu(const device&) {}

  work per_solve() const override { return dense_work(a().order, when()); }

 protected:
  void prepare() override {
    require_memory(dense_bytes(a()));
    n_ = a().size();
    lu_ = aligned_array<double>(n_ * n_, 0);
    floors_ = pivot_floors(a());
    pivots_.resize(n_);
  }

  void factorise() override {
    fill_dense(a(), {lu_.data(), lu_.size()}, 1, n_);
    charge(effort_.seconds.host);
    const lapack_int n = a().order;
    const lapack_int info = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, lu_.data(), n, pivots_.data());
    charge(effort_.seconds.factorise);
    if (info < 0) throw error("LAPACKE_dgetrf failed with info " + std::to_string(info));
    require_pivots(floors_, [&](std::size_t k) { return lu_[k * (n_ + 1)]; });
    effort_.row_swaps = 0;
    for (std::size_t k = 0; k < n_; ++k)
      *effort_.row_swaps += pivots_[k] != static_cast<lapack_int>(k) + 1 ? 1 : 0;
    charge(effort_.seconds.host);
  }

  // dgetrs does forward and back substitution in one call.
  void substitute(std::span<const double> b, std::span<double> x) override {
    std::copy(b.begin(), b.end(), x.begin());
    const lapack_int n = a().order;
    const lapack_int info =
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', n, 1, lu_.data(), n, pivots_.data(), x.data(), n);
    if (info != 0) throw error("LAPACKE_dgetrs failed with info " + std::to_string(info));
    charge(effort_.seconds.back);
  }

 private:
  std::size_t n_{};
  aligned_array<double> lu_;
  std::vector<double> floors_;
  std::vector<lapack_int> pivots_;
};

REPRISE_VARIANT(solver, lapack_lu,
                {.summary = "LAPACK's dgetrf and dgetrs, all cores",
                 .place = "",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work(),
                 .repeats = determinism::bounded});

}  // namespace
}  // namespace reprise::angiogenesis
