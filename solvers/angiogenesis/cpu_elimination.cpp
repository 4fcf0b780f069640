// SPDX-License-Identifier: MIT
// The paper's CPU code: Gaussian elimination with partial pivoting on the augmented matrix, one thread.
// Place: section 4; the column "CPU" of Table 2.
// Formula: for k = 0 ... n - 2, swap the row with the largest |a_ik|, i >= k, into row k; then a_ij -=
// a_ik / a_kk * a_kj for all i > k and k < j <= n. Finally x_i = (b_i - sum_j>i u_ij x_j) / u_ii.
// Where we differ: if the matrix is factorised once, the multipliers are kept in place and the
// right-hand side is eliminated later. The paper compiles with -ffast-math, which treats denormal
// numbers as zero; so do the loops here.
#include "solvers/angiogenesis/dense.hpp"
#include "solvers/angiogenesis/host_solver.hpp"
#include "solvers/common/base/aligned.hpp"
#include "solvers/common/base/simd.hpp"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace reprise::angiogenesis {
namespace {

// Treats denormal numbers as zero while it lives. Multipliers of this matrix decay to denormal numbers, for
// which some processors are slow.
class without_denormals {
 public:
#if defined(__SSE__)
  without_denormals() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | 0x8040U);
  }
  ~without_denormals() {
    _mm_setcsr(before_);
  }
  without_denormals(const without_denormals&) = delete;
  without_denormals& operator=(const without_denormals&) = delete;

 private:
  unsigned before_;
#endif
};

REPRISE_SIMD_CLONES void subtract(double* __restrict row, const double* __restrict pivot_row,
                                  double multiplier, std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) row[j] -= multiplier * pivot_row[j];
}

// Sums in any order, as -ffast-math allows.
REPRISE_SIMD_CLONES double dot(const double* a, const double* b, std::size_t count) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t j = 0; j < count; ++j) sum += a[j] * b[j];
  return sum;
}

class cpu_elimination final : public host_solver {
 public:
  explicit cpu_elimination(const device&) {}

  void solve(std::span<const double> b, std::span<double> x) override {
    right_ = b;
    host_solver::solve(b, x);
  }

  work per_solve() const override { return dense_work(a().order, when()); }

 protected:
  void prepare() override {
    require_memory(dense_bytes(a()));
    n_ = a().size();
    augmented_ = aligned_array<double>(n_ * (n_ + 1), 0);
    floors_ = pivot_floors(a());
    pivots_.resize(n_);
  }

  void factorise() override {
    // If the matrix is factorised once, there is no right-hand side yet.
    has_right_ = when() == factoring::every_solve;
    fill_dense(a(), {augmented_.data(), augmented_.size()}, n_ + 1, 1);
    for (std::size_t i = 0; i < n_; ++i) row(i)[n_] = has_right_ ? right_[i] : 0;
    charge(effort_.seconds.host);
    const without_denormals fast;
    effort_.row_swaps = 0;
    for (std::size_t k = 0; k < n_; ++k) eliminate(k);
    charge(effort_.seconds.factorise);
  }

  void substitute(std::span<const double> b, std::span<double> x) override {
    const without_denormals fast;
    if (has_right_) {
      for (std::size_t i = 0; i < n_; ++i) x[i] = row(i)[n_];
    } else {
      forward(b, x);
      charge(effort_.seconds.forward);
    }
    for (std::size_t i = n_; i-- > 0;)
      x[i] = (x[i] - dot(row(i) + i + 1, x.data() + i + 1, n_ - i - 1)) / row(i)[i];
    charge(effort_.seconds.back);
  }

 private:
  double* row(std::size_t i) { return augmented_.data() + i * (n_ + 1); }

  void eliminate(std::size_t k) {
    std::size_t p = k;
    for (std::size_t i = k + 1; i < n_; ++i)
      if (std::abs(row(i)[k]) > std::abs(row(p)[k])) p = i;
    if (!is_pivot(row(p)[k], floors_[k])) refuse_singular(static_cast<int>(k));
    pivots_[k] = p;
    if (p != k) {
      std::swap_ranges(row(k), row(k) + n_ + 1, row(p));
      ++*effort_.row_swaps;
    }
    const double* const pivot_row = row(k);
    for (std::size_t i = k + 1; i < n_; ++i) {
      double* const below = row(i);
      below[k] /= pivot_row[k];
      subtract(below + k + 1, pivot_row + k + 1, below[k], n_ - k);
    }
  }

  void forward(std::span<const double> b, std::span<double> x) {
    std::copy(b.begin(), b.end(), x.begin());
    for (std::size_t k = 0; k < n_; ++k) std::swap(x[k], x[pivots_[k]]);
    for (std::size_t i = 0; i < n_; ++i) x[i] -= dot(row(i), x.data(), i);
  }

  std::size_t n_{};
  aligned_array<double> augmented_;
  std::vector<double> floors_;
  std::vector<std::size_t> pivots_;
  std::span<const double> right_;
  bool has_right_{};
};

REPRISE_VARIANT(solver, cpu_elimination,
                {.summary = "one thread, elimination on the augmented matrix",
                 .place = "section 4, Table 2",
                 .precisions = {precision::double_},
                 .per_unit = usual_dense_work()});

}  // namespace
}  // namespace reprise::angiogenesis
