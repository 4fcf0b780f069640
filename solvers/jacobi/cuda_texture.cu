// SPDX-License-Identifier: MIT
// x is read through a one-dimensional texture on linear memory, which is cached and has no alignment rules.
// Place: section 6.5, Fig 17
// Formula: x'[i] = (1-w) x[i] + w (f[i] - sum over k != 4 of d_k[i] x[i + offset k]) / d_4[i]
// Where we differ: CUDA 12 has no texture references, so there is a texture object for each of the two
// iterates. A fetch outside the vector gives zero, so x needs no padding.
#include "solvers/jacobi/cuda_vectors.hpp"

namespace reprise::jacobi {
namespace {

__global__ void sweep_texture(coefficients m, cudaTextureObject_t x, float* __restrict__ next, int n, int nx,
                              float w) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float sum = m.f[i];
  sum -= m.d[0][i] * tex1Dfetch<float>(x, i - nx - 1);
  sum -= m.d[1][i] * tex1Dfetch<float>(x, i - nx);
  sum -= m.d[2][i] * tex1Dfetch<float>(x, i - nx + 1);
  sum -= m.d[3][i] * tex1Dfetch<float>(x, i - 1);
  sum -= m.d[5][i] * tex1Dfetch<float>(x, i + 1);
  sum -= m.d[6][i] * tex1Dfetch<float>(x, i + nx - 1);
  sum -= m.d[7][i] * tex1Dfetch<float>(x, i + nx);
  sum -= m.d[8][i] * tex1Dfetch<float>(x, i + nx + 1);
  next[i] = (1.0F - w) * tex1Dfetch<float>(x, i) + w * (sum / m.d[4][i]);
}

class cuda_texture final : public cuda_vectors {
 public:
  using cuda_vectors::cuda_vectors;

  void load(const problem& p) override {
    cuda_vectors::load(p);
    x_texture_ = cuda::texture<float>(x_);
    next_texture_ = cuda::texture<float>(next_);
  }

 private:
  std::size_t padding(int) const override { return 0; }

  void sweep_once() override {
    cuda::launch(sweep_texture, grid(), block_threads, 0, nullptr, matrix(), x_texture_.get(), next_.data(),
                 n_, nx_, omega_);
    std::swap(x_texture_, next_texture_);
  }

  cuda::texture<float> x_texture_, next_texture_;
};

REPRISE_VARIANT(solver, cuda_texture,
                {.summary = "x through a one-dimensional texture",
                 .place = "section 6.5, Fig 17",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
