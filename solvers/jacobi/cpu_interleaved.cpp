// SPDX-License-Identifier: MIT
// The paper's CPU code: one thread, with the nine diagonals of a node stored side by side.
// Place: section 4, Figs 4 and 5.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of M[9i+k] x[i + offset k]) / M[9i+4]
// x is padded by nx+1 zeros at both ends, so that no index needs a bounds check.
#include <array>
#include <vector>

#include "solvers/jacobi/cpu_padded.hpp"

namespace reprise::jacobi {
namespace {

class cpu_interleaved final : public cpu_padded {
 public:
  explicit cpu_interleaved(const device&) {}

 private:
  void take_matrix(const problem& p) override {
    for (std::size_t k = 0; k < 9; ++k) {
      const auto there = static_cast<int>(k);
      neighbour_[k] = dx(there) + dy(there) * nx_;
    }
    matrix_.resize(9 * n_);
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t k = 0; k < 9; ++k) matrix_[9 * i + k] = p.diagonals[k][i];
  }

  void sweep_once(const float* x, float* next) override {
    for (std::size_t i = 0; i < n_; ++i) {
      const float* const row = matrix_.data() + 9 * i;
      const float* const here = x + i;
      float sum = f_[i];
      for (std::size_t k = 0; k < 9; ++k)
        if (k != 4) sum -= row[k] * here[neighbour_[k]];
      next[i] = (1.0F - omega_) * x[i] + omega_ * (sum / row[4]);
    }
  }

  std::array<std::ptrdiff_t, 9> neighbour_{};
  std::vector<float> matrix_;
};

REPRISE_VARIANT(solver, cpu_interleaved,
                {.summary = "one thread, nine diagonals of a node side by side",
                 .place = "section 4, Figs 4 and 5",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
