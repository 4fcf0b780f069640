// SPDX-License-Identifier: MIT
// All cores with SIMD: a modern CPU baseline, which the paper does not have.
// Formula: x' = (1-w) x + w (f - sum over k != 4 of d_k x_k) / d_4
// Storage: tiles of 16 nodes with their nine diagonals and f side by side, so that a core follows one stream
// of coefficients instead of ten. The new iterate is stored past the caches, which would otherwise read its
// lines before overwriting them. A sweep then moves little more than its compulsory 48 bytes per node.
#include <cstring>
#include <utility>
#include <vector>

#include "solvers/common/base/aligned.hpp"
#include "solvers/common/base/simd.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

constexpr std::size_t lanes = 16;
constexpr std::size_t tile_words = 10 * lanes;  // d_0 ... d_8, f
using vector = float __attribute__((vector_size(lanes * sizeof(float))));

inline void store_vector(float* to, const vector& value) {
  float words[lanes];
  std::memcpy(words, &value, sizeof words);
  for (std::size_t i = 0; i < lanes; i += 4) store_past_caches(to + i, words + i);
}

// Sweeps the tiles first ... last-1. x and next point at node 0; next is aligned to a cache line.
REPRISE_SIMD_CLONES void sweep_tiles(const float* tiles, const float* x, float* next, std::ptrdiff_t nx,
                                     float w, std::size_t first, std::size_t last) {
  for (std::size_t tile = first; tile < last; ++tile) {
    const float* const t = tiles + tile * tile_words;
    const float* const here = x + tile * lanes;
    vector sum, d, neighbour, centre;
    std::memcpy(&sum, t + 9 * lanes, sizeof sum);
    for (std::ptrdiff_t k = 0; k < 9; ++k) {
      if (k == 4) continue;
      std::memcpy(&d, t + k * static_cast<std::ptrdiff_t>(lanes), sizeof d);
      std::memcpy(&neighbour, here + (k / 3 - 1) * nx + (k % 3 - 1), sizeof neighbour);
      sum -= d * neighbour;
    }
    std::memcpy(&d, t + 4 * lanes, sizeof d);
    std::memcpy(&centre, here, sizeof centre);
    store_vector(next + tile * lanes, (1.0F - w) * centre + w * (sum / d));
  }
  finish_stores_past_caches();
}

class openmp final : public solver {
 public:
  explicit openmp(const device&) {}

  void load(const problem& p) override {
    n_ = static_cast<std::size_t>(p.nodes());
    nx_ = p.nx;
    omega_ = p.omega;
    tiles_ = (n_ + lanes - 1) / lanes;
    base_ = (static_cast<std::size_t>(p.nx) + 1 + lanes - 1) / lanes * lanes;
    x0_ = p.x0;
    coefficients_ = aligned_array<float>(tiles_ * tile_words, 0.0F);
    for (auto* buffer : {&x_, &next_}) *buffer = aligned_array<float>(base_ + tiles_ * lanes + base_, 0.0F);
    pack(p);
    reset();
  }

  void reset() override { std::copy(x0_.begin(), x0_.end(), x_.data() + base_); }

  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      const float* const x = x_.data() + base_;
      float* const next = next_.data() + base_;
      // Chunks of 256 KiB of coefficients, assigned in order so that each core stays in its part of memory.
      constexpr std::size_t chunk = 409;
      const std::size_t chunks = (tiles_ + chunk - 1) / chunk;
#pragma omp parallel for schedule(static)
      for (std::size_t c = 0; c < chunks; ++c)
        sweep_tiles(coefficients_.data(), x, next, nx_, omega_, c * chunk, std::min(tiles_, (c + 1) * chunk));
      std::swap(x_, next_);
    }
  }

  std::vector<float> solution() override {
    return {x_.data() + base_, x_.data() + base_ + n_};
  }

  stopwatch& clock() override {
    return clock_;
  }

 private:
  void pack(const problem& p) {
    float* const words = coefficients_.data();
#pragma omp parallel for schedule(static)
    for (std::size_t tile = 0; tile < tiles_; ++tile)
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t i = tile * lanes + lane;
        float* const word = words + tile * tile_words + lane;
        for (std::size_t k = 0; k < 9; ++k) word[k * lanes] = i < n_ ? p.diagonals[k][i] : 0.0F;
        word[9 * lanes] = i < n_ ? p.f[i] : 0.0F;
        if (i >= n_) word[4 * lanes] = 1.0F;  // division by one keeps the padding of the last tile at zero
      }
  }

  std::size_t n_{};
  std::size_t tiles_{};
  std::size_t base_{};
  std::ptrdiff_t nx_{};
  float omega_{};
  aligned_array<float> coefficients_, x_, next_;
  std::vector<float> x0_;
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, openmp,
                {.summary = "all cores with SIMD, tiled coefficients, streaming stores",
                 .place = "beyond the paper: the modern CPU baseline",
                 .precisions = {precision::single},
                 .per_unit = plain_work});

}  // namespace
}  // namespace reprise::jacobi
