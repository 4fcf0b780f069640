// SPDX-License-Identifier: MIT
// The paper's CPU code: one thread, the nine diagonals of a node side by side.
// Place: section 4, Figs 4 and 5.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of M[9i+k] x[i + offset k]) / M[9i+4]
// x is padded by nx+1 zeros at both ends, so that no index needs a test.
#include <array>
#include <utility>
#include <vector>

#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

class cpu_interleaved final : public solver {
 public:
  explicit cpu_interleaved(const device&) {}

  void load(const problem& p) override {
    n_ = static_cast<std::size_t>(p.nodes());
    base_ = static_cast<std::size_t>(p.nx) + 1;
    omega_ = p.omega;
    for (int k = 0; k < 9; ++k)
      neighbour_[static_cast<std::size_t>(k)] = static_cast<std::ptrdiff_t>(dx(k)) + dy(k) * p.nx;
    matrix_.resize(9 * n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < 9; ++k) matrix_[9 * i + k] = p.diagonals[k][i];
    f_ = p.f;
    x0_ = p.x0;
    reset();
  }

  void reset() override {
    x_.assign(n_ + 2 * base_, 0.0F);
    next_ = x_;
    std::copy(x0_.begin(), x0_.end(), x_.begin() + static_cast<std::ptrdiff_t>(base_));
  }

  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      sweep_once();
      std::swap(x_, next_);
    }
  }

  std::vector<float> solution() override {
    const auto begin = x_.begin() + static_cast<std::ptrdiff_t>(base_);
    return {begin, begin + static_cast<std::ptrdiff_t>(n_)};
  }

  stopwatch& clock() override { return clock_; }

 private:
  void sweep_once() {
    const float* const m = matrix_.data();
    const float* const x = x_.data() + base_;
    float* const next = next_.data() + base_;
    for (std::size_t i = 0; i < n_; ++i) {
      const float* const row = m + 9 * i;
      const float* const here = x + i;
      float sum = f_[i];
      for (std::size_t k = 0; k < 9; ++k)
        if (k != 4) sum -= row[k] * here[neighbour_[k]];
      next[i] = (1.0F - omega_) * x[i] + omega_ * (sum / row[4]);
    }
  }

  std::size_t n_{};
  std::size_t base_{};
  float omega_{};
  std::array<std::ptrdiff_t, 9> neighbour_{};
  std::vector<float> matrix_, f_, x0_, x_, next_;
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, cpu_interleaved,
                {.summary = "one thread, nine diagonals of a node side by side",
                 .place = "section 4, Figs 4 and 5",
                 .precisions = {precision::single},
                 .per_unit = plain_work,
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::jacobi
