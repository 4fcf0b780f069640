// SPDX-License-Identifier: MIT
// Like cuda_simple, but with the padding rounded up to whole segments of 16 words.
// Place: section 6.2, Fig 13
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// The store and the read of a node's own value are then aligned at any width; reads in the
// rows above and below are not.
#include "solvers/jacobi/cuda_vectors.hpp"

namespace reprise::jacobi {
namespace {

__global__ void sweep_vector(coefficients m, const float* __restrict__ x, float* __restrict__ next, int n,
                             int nx, float w) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) sweep_node(m, x, next, i, nx, w);
}

class cuda_aligned final : public cuda_vectors {
 public:
  using cuda_vectors::cuda_vectors;

 private:
  std::size_t padding(int nx) const override { return (static_cast<std::size_t>(nx) + 1 + 15) / 16 * 16; }

  void sweep_once() override {
    cuda::launch(sweep_vector, grid(), block_threads, 0, nullptr, matrix(), x_.data() + base_,
                 next_.data() + base_, n_, nx_, omega_);
  }
};

REPRISE_VARIANT(solver, cuda_aligned,
                {.summary = "one thread a node, skip rounded up to 16 words",
                 .place = "section 6.2, Fig 13",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
