// SPDX-License-Identifier: MIT
// Base class of the variants with one-dimensional storage: nine separate vectors of n, f, and two iterates.
// Each iterate has `base_` finite zeros at both ends, so that no index needs a bounds check (Fig 12).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr unsigned block_threads = 64;  // the paper's choice, section 7

struct coefficients {
  const float* d[9];
  const float* f;
};

class cuda_vectors : public solver {
 public:
  explicit cuda_vectors(const device& d) { cuda::use_device(d); }

  void load(const problem& p) override {
    nx_ = p.nx;
    n_ = p.nodes();
    omega_ = p.omega;
    base_ = padding(p.nx);
    for (std::size_t k = 0; k < 9; ++k) d_[k] = cuda::uploaded(p.diagonals[k]);
    f_ = cuda::uploaded(p.f);
    for (auto* buffer : {&x_, &next_}) {
      *buffer = cuda::buffer<float>(base_ + static_cast<std::size_t>(n_) + base_);
      buffer->fill_bytes(0);
    }
    x0_ = p.x0;
    reset();
  }

  void reset() override { x_.upload(x0_.data(), x0_.size(), base_); }

  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      sweep_once();
      std::swap(x_, next_);
    }
  }

  std::vector<float> solution() override {
    std::vector<float> x(static_cast<std::size_t>(n_));
    x_.download(x.data(), x.size(), base_);
    return x;
  }

  stopwatch& clock() override { return clock_; }

 protected:
  // Number of elements before node 0 of each iterate.
  virtual std::size_t padding(int nx) const = 0;
  // Computes next_ from x_.
  virtual void sweep_once() = 0;

  coefficients matrix() const {
    coefficients c{};
    for (std::size_t k = 0; k < 9; ++k) c.d[k] = d_[k].data();
    c.f = f_.data();
    return c;
  }
  dim3 grid() const { return dim3((static_cast<unsigned>(n_) + block_threads - 1) / block_threads); }

  int nx_{};
  int n_{};
  float omega_{};
  std::size_t base_{};
  std::array<cuda::buffer<float>, 9> d_;
  cuda::buffer<float> f_, x_, next_;
  std::vector<float> x0_;
  cuda::event_stopwatch clock_;
};

// One node as in the paper's Fig 11. x and next point at node 0 of their padded vectors.
__device__ inline void sweep_node(const coefficients& m, const float* x, float* next, int i, int nx,
                                  float w) {
  float sum = m.f[i];
  sum -= m.d[0][i] * x[i - nx - 1];
  sum -= m.d[1][i] * x[i - nx];
  sum -= m.d[2][i] * x[i - nx + 1];
  sum -= m.d[3][i] * x[i - 1];
  sum -= m.d[5][i] * x[i + 1];
  sum -= m.d[6][i] * x[i + nx - 1];
  sum -= m.d[7][i] * x[i + nx];
  sum -= m.d[8][i] * x[i + nx + 1];
  next[i] = (1.0F - w) * x[i] + w * (sum / m.d[4][i]);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::jacobi
