// SPDX-License-Identifier: MIT
// One thread with nine separate diagonals: the storage layout of the GPU codes on a CPU.
// Place: section 4, which compares "several different storage formats" and calls
// interleaved storage the fastest.
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
#include <array>
#include <vector>

#include "solvers/jacobi/cpu_padded.hpp"

namespace reprise::jacobi {
namespace {

class cpu_diagonals final : public cpu_padded {
 public:
  explicit cpu_diagonals(const device&) {}

 private:
  void take_matrix(const problem& p) override { d_ = p.diagonals; }

  void sweep_once(const float* row, float* next) override {
    const float* const south = row - nx_;
    const float* const north = row + nx_;
    const float w = omega_;
    // The two buffers never overlap, but the compiler cannot know that.
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

  std::array<std::vector<float>, 9> d_;
};

REPRISE_VARIANT(solver, cpu_diagonals,
                {.summary = "one thread, nine separate diagonals",
                 .place = "section 4, the layout of Fig 2",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
