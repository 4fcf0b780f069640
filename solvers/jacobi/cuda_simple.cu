// SPDX-License-Identifier: MIT
// The CPU code as a kernel: one thread per node, with everything in global memory.
// Place: section 6.1, Fig 11
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// Node 0 is nx+1 elements into the vector, so a half-warp reads whole segments only if nx is 16m-1.
#include "solvers/jacobi/cuda_vectors.hpp"

namespace reprise::jacobi {
namespace {

__global__ void sweep_vector(coefficients m, const float* __restrict__ x, float* __restrict__ next, int n,
                             int nx, float w) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) sweep_node(m, x, next, i, nx, w);
}

class cuda_simple final : public cuda_vectors {
 public:
  using cuda_vectors::cuda_vectors;

 private:
  std::size_t padding(int nx) const override { return static_cast<std::size_t>(nx) + 1; }

  void sweep_once() override {
    cuda::launch(sweep_vector, grid(), block_threads, 0, nullptr, matrix(), x_.data() + base_,
                 next_.data() + base_, n_, nx_, omega_);
  }
};

REPRISE_VARIANT(solver, cuda_simple,
                {.summary = "one thread a node, vectors skipped by nx+1",
                 .place = "section 6.1, Fig 11",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
