// SPDX-License-Identifier: MIT
// Pitched rows and a two-dimensional grid of one-dimensional blocks, so that three of the nine reads
// of x are aligned at any width.
// Place: section 6.3, Fig 14
// Formula: x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4
#include "solvers/jacobi/cuda_rows.hpp"

namespace reprise::jacobi {
namespace {

__global__ void sweep_rows(row_coefficients m, const float* __restrict__ x, float* __restrict__ next, int nx,
                           float w) {
  const int ix = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (ix >= nx) return;
  const int pitch = m.pitch;
  const int i = ix + static_cast<int>(blockIdx.y) * pitch;
  float sum = m.f[i];
  sum -= m.d[0][i] * x[i - pitch - 1];
  sum -= m.d[1][i] * x[i - pitch];
  sum -= m.d[2][i] * x[i - pitch + 1];
  sum -= m.d[3][i] * x[i - 1];
  sum -= m.d[5][i] * x[i + 1];
  sum -= m.d[6][i] * x[i + pitch - 1];
  sum -= m.d[7][i] * x[i + pitch];
  sum -= m.d[8][i] * x[i + pitch + 1];
  next[i] = (1.0F - w) * x[i] + w * (sum / m.d[4][i]);
}

class cuda_2d final : public cuda_rows {
 public:
  using cuda_rows::cuda_rows;

 private:
  void sweep_once() override {
    cuda::launch(sweep_rows, grid(), row_threads, 0, nullptr, matrix(), x(), next(), nx_, omega_);
  }
};

REPRISE_VARIANT(solver, cuda_2d,
                {.summary = "pitched rows, two-dimensional grid",
                 .place = "section 6.3, Fig 14",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
