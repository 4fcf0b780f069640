// SPDX-License-Identifier: MIT
// LAPACK's dgbtrf and dgbtrs with the unknowns ordered by node: C, P, I, F of node 0, then of node 1, ...
// Place: section 3.2, which claims that the coupling makes the bandwidth grow like M; in this order it is 4.
// Formula: P A = L U within the band.
#include <lapacke.h>

#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/base/aligned.hpp"

namespace reprise::angiogenesis {
namespace {

class lapack_banded final : public host_solver {
 public:
  explicit lapack_banded(const device&) {}

  // Per column, elimination within the band takes 2 l (l + u) flops and substitution 2 (2 l + u).
  work per_solve() const override {
    const double n = a().order, l = lower_, u = upper_;
    const double factor_flops = when() == factoring::every_solve ? 2 * n * l * (l + u) : 0;
    return {.bytes_logical = sizeof(double) * n * (2 * l + u + 1) * (factor_flops > 0 ? 3 : 1),
            .bytes_dram = sizeof(double) * n * (2 * l + u + 3),
            .bytes_dram_once = 0,
            .flops = factor_flops + 2 * n * (2 * l + u)};
  }

 protected:
  void prepare() override {
    n_ = a().size();
    nodes_ = n_ / static_cast<std::size_t>(a().blocks);
    lower_ = upper_ = 0;
    for (std::size_t row = 0; row < n_; ++row)
      for (std::size_t e = a().begin(row); e < a().end(row); ++e) {
        const int distance = static_cast<int>(place(row)) - static_cast<int>(place(column_of(e)));
        lower_ = std::max(lower_, distance);
        upper_ = std::max(upper_, -distance);
      }
    // The extra lower_ rows hold the fill-in from row swaps.
    height_ = static_cast<std::size_t>(2 * lower_ + upper_ + 1);
    require_memory(sizeof(double) * static_cast<double>(height_) * static_cast<double>(n_));
    band_ = aligned_array<double>(height_ * n_, 0);
    right_.resize(n_);
    pivots_.resize(n_);
    const std::vector<double> floors = pivot_floors(a());
    floors_.resize(n_);
    for (std::size_t k = 0; k < n_; ++k) floors_[place(k)] = floors[k];
  }

  void factorise() override {
    fill();
    charge(effort_.seconds.host);
    const lapack_int n = a().order;
    const lapack_int info = LAPACKE_dgbtrf_work(LAPACK_COL_MAJOR, n, n, lower_, upper_, band_.data(),
                                                static_cast<lapack_int>(height_), pivots_.data());
    charge(effort_.seconds.factorise);
    if (info < 0) throw error("LAPACKE_dgbtrf failed with info " + std::to_string(info));
    effort_.row_swaps = 0;
    const auto diagonal = static_cast<std::size_t>(lower_ + upper_);
    for (std::size_t k = 0; k < n_; ++k) {
      if (!is_pivot(band_[k * height_ + diagonal], floors_[k])) refuse_singular(unknown_at(k));
      *effort_.row_swaps += pivots_[k] != static_cast<lapack_int>(k) + 1 ? 1 : 0;
    }
    charge(effort_.seconds.host);
  }

  // dgbtrs does forward and back substitution in one call.
  void substitute(std::span<const double> b, std::span<double> x) override {
    for (std::size_t k = 0; k < n_; ++k) right_[place(k)] = b[k];
    const lapack_int n = a().order;
    const lapack_int info =
        LAPACKE_dgbtrs_work(LAPACK_COL_MAJOR, 'N', n, lower_, upper_, 1, band_.data(),
                            static_cast<lapack_int>(height_), pivots_.data(), right_.data(), n);
    if (info != 0) throw error("LAPACKE_dgbtrs failed with info " + std::to_string(info));
    for (std::size_t k = 0; k < n_; ++k) x[k] = right_[place(k)];
    charge(effort_.seconds.back);
  }

 private:
  std::size_t column_of(std::size_t entry) const { return static_cast<std::size_t>(a().column[entry]); }
  // The position of unknown k in the order by node. unknown_at() is the inverse.
  std::size_t place(std::size_t k) const {
    return k % nodes_ * static_cast<std::size_t>(a().blocks) + k / nodes_;
  }
  int unknown_at(std::size_t position) const {
    const auto blocks = static_cast<std::size_t>(a().blocks);
    return static_cast<int>(position % blocks * nodes_ + position / blocks);
  }

  void fill() {
    std::fill(band_.data(), band_.data() + band_.size(), 0.0);
    const auto diagonal = static_cast<std::size_t>(lower_ + upper_);
    for (std::size_t row = 0; row < n_; ++row)
      for (std::size_t e = a().begin(row); e < a().end(row); ++e) {
        const std::size_t column = place(column_of(e));
        band_[column * height_ + diagonal + place(row) - column] = a().value[e];
      }
  }

  std::size_t n_{}, nodes_{}, height_{};
  int lower_{}, upper_{};
  aligned_array<double> band_;
  std::vector<double> right_, floors_;
  std::vector<lapack_int> pivots_;
};

REPRISE_VARIANT(solver, lapack_banded,
                {.summary = "LAPACK's dgbtrf and dgbtrs, unknowns ordered by node",
                 .place = "section 3.2",
                 .precisions = {precision::double_},
                 .per_unit = {.bytes_logical = 3 * 13 * 8 * 1600.0,
                              .bytes_dram = 15 * 8 * 1600.0,
                              .bytes_dram_once = 0,
                              .flops = 88 * 1600.0}});

}  // namespace
}  // namespace reprise::angiogenesis
