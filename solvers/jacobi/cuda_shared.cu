// SPDX-License-Identifier: MIT
// Like cuda_2d, but with three rows of x in shared memory.
// Place: section 6.4, Figs 15 and 16
// Formula: x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4
#include "solvers/jacobi/cuda_rows.hpp"

namespace reprise::jacobi {
namespace {

__global__ void sweep_shared(row_coefficients m, const float* __restrict__ x, float* __restrict__ next,
                             int nx, float w) {
  REPRISE_SHARED_ARRAY(float, tile, [3][row_threads + 2]);
  const int ix = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int i = ix + static_cast<int>(blockIdx.y) * m.pitch;
  load_tile(tile, x, i, m.pitch);
  __syncthreads();
  if (ix >= nx) return;
  const unsigned c = threadIdx.x + 1;
  float sum = m.f[i];
  sum -= m.d[0][i] * tile[0][c - 1];
  sum -= m.d[1][i] * tile[0][c];
  sum -= m.d[2][i] * tile[0][c + 1];
  sum -= m.d[3][i] * tile[1][c - 1];
  sum -= m.d[5][i] * tile[1][c + 1];
  sum -= m.d[6][i] * tile[2][c - 1];
  sum -= m.d[7][i] * tile[2][c];
  sum -= m.d[8][i] * tile[2][c + 1];
  next[i] = (1.0F - w) * tile[1][c] + w * (sum / m.d[4][i]);
}

class cuda_shared final : public cuda_rows {
 public:
  using cuda_rows::cuda_rows;

 private:
  void sweep_once() override {
    cuda::launch(sweep_shared, grid(), row_threads, 0, nullptr, matrix(), x(), next(), nx_, omega_);
  }
};

constexpr work work_with_tile() {
  work w = plain_work;
  w.bytes_shared = sizeof(float) * tile_words;
  return w;
}

REPRISE_VARIANT(solver, cuda_shared,
                {.summary = "pitched rows, three rows of x in shared memory",
                 .place = "section 6.4, Figs 15 and 16",
                 .precisions = {precision::single},
                 .per_unit = work_with_tile()});

}  // namespace
}  // namespace reprise::jacobi
