// SPDX-License-Identifier: MIT
// Like cuda_shared, but the diagonal next to the main one is in shared memory too.
// Place: section 8, "a performance improvement of 7%"
// Formula: x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4 with d_3[i] = d_5[i-1]
// A node's western coefficient is its western neighbour's eastern one, so one of the
// nine diagonals need not be read.
#include "solvers/jacobi/cuda_rows.hpp"

namespace reprise::jacobi {
namespace {

__global__ void sweep_symmetric(row_coefficients m, const float* __restrict__ x, float* __restrict__ next,
                                int nx, float w) {
  REPRISE_SHARED_ARRAY(float, tile, [3][row_threads + 2]);
  REPRISE_SHARED_ARRAY(float, east, [row_threads + 1]);
  const int ix = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int i = ix + static_cast<int>(blockIdx.y) * m.pitch;
  const unsigned c = threadIdx.x + 1;
  load_tile(tile, x, i, m.pitch);
  if (ix < nx) east[c] = m.d[5][i];
  if (threadIdx.x == 0) east[0] = ix > 0 ? m.d[5][i - 1] : 0.0F;
  __syncthreads();
  if (ix >= nx) return;
  float sum = m.f[i];
  sum -= m.d[0][i] * tile[0][c - 1];
  sum -= m.d[1][i] * tile[0][c];
  sum -= m.d[2][i] * tile[0][c + 1];
  sum -= east[c - 1] * tile[1][c - 1];
  sum -= east[c] * tile[1][c + 1];
  sum -= m.d[6][i] * tile[2][c - 1];
  sum -= m.d[7][i] * tile[2][c];
  sum -= m.d[8][i] * tile[2][c + 1];
  next[i] = (1.0F - w) * tile[1][c] + w * (sum / m.d[4][i]);
}

class cuda_shared_symmetric final : public cuda_rows {
 public:
  using cuda_rows::cuda_rows;

  void load(const problem& p) override {
    for (std::size_t i = 1; i < p.x0.size(); ++i)
      if (p.diagonals[3][i] != p.diagonals[5][i - 1])
        throw unavailable("needs a symmetric matrix: it reads the western diagonal as the eastern one");
    cuda_rows::load(p);
  }

 private:
  void sweep_once() override {
    cuda::launch(sweep_symmetric, grid(), row_threads, 0, nullptr, matrix(), x(), next(), nx_, omega_);
  }
};

// Words of the eastern diagonal in shared memory, for a node of a full block.
constexpr double east_words = 1. * (row_threads + 1) / row_threads + 2;

// One diagonal less than in plain_work crosses the memory bus.
REPRISE_VARIANT(solver, cuda_shared_symmetric,
                {.summary = "as cuda_shared, one diagonal shared between neighbours",
                 .place = "section 8, no table",
                 .precisions = {precision::single},
                 .per_unit = {.bytes_logical = 80,
                              .bytes_dram = 44,
                              .bytes_dram_once = 0,
                              .flops = 20,
                              .bytes_shared = sizeof(float) * (tile_words + east_words)}});

}  // namespace
}  // namespace reprise::jacobi
