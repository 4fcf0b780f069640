// SPDX-License-Identifier: MIT
// One thread, nine separate diagonals: the layout of the GPU codes on a CPU.
// Place: section 4 compares "several different storage formats" and names interleaved storage the fastest.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
#include <array>
#include <utility>
#include <vector>

#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

class cpu_diagonals final : public solver {
 public:
  explicit cpu_diagonals(const device&) {}

  void load(const problem& p) override {
    n_ = static_cast<std::size_t>(p.nodes());
    nx_ = p.nx;
    base_ = static_cast<std::size_t>(p.nx) + 1;
    omega_ = p.omega;
    d_ = p.diagonals;
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
    const float* const south = x_.data() + base_ - nx_;
    const float* const row = x_.data() + base_;
    const float* const north = x_.data() + base_ + nx_;
    float* const next = next_.data() + base_;
    const float w = omega_;
    // The two buffers never overlap, which the compiler cannot see.
#pragma GCC ivdep
    for (std::size_t i = 0; i < n_; ++i) {
      float sum = f_[i];
      sum -= d_[0][i] * (south + i)[-1];
      sum -= d_[1][i] * south[i];
      sum -= d_[2][i] * (south + i)[1];
      sum -= d_[3][i] * (row + i)[-1];
      sum -= d_[5][i] * (row + i)[1];
      sum -= d_[6][i] * (north + i)[-1];
      sum -= d_[7][i] * north[i];
      sum -= d_[8][i] * (north + i)[1];
      next[i] = (1.0F - w) * row[i] + w * (sum / d_[4][i]);
    }
  }

  std::size_t n_{};
  std::ptrdiff_t nx_{};
  std::size_t base_{};
  float omega_{};
  std::array<std::vector<float>, 9> d_;
  std::vector<float> f_, x0_, x_, next_;
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, cpu_diagonals,
                {.summary = "one thread, nine separate diagonals",
                 .place = "section 4, the layout of Fig 2",
                 .precisions = {precision::single},
                 .per_unit = plain_work,
                 .repeats = determinism::bitwise});

}  // namespace
}  // namespace reprise::jacobi
