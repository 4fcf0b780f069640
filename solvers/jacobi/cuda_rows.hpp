// SPDX-License-Identifier: MIT
// Base class of the variants with two-dimensional storage, with their block size. Every row of x, f and the diagonals begins at the
// device's own alignment (section 6.3), so that coalescing does not depend on the width.
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

constexpr unsigned row_threads = 64;  // threads of a block, one-dimensional as in the paper

// The stencil reads one row above and one below the grid. If the pitch equals the width, the corners and
// the columns that fill the last block of a row may lie one more row outside. Two rows of finite zeros at
// each end are therefore needed.
constexpr std::size_t border_rows = 2;

struct row_coefficients {
  const float* d[9];
  const float* f;
  int pitch;  // of all arrays, in elements
};

class cuda_rows : public solver {
 public:
  explicit cuda_rows(const device& d) { cuda::use_device(d); }

  void load(const problem& p) override {
    constexpr int most_rows = 65535;  // limit of a grid's second dimension
    if (p.ny > most_rows)
      throw unavailable("one block row for each of " + std::to_string(p.ny) +
                        " grid rows, a launch has at most 65535");
    nx_ = p.nx;
    ny_ = p.ny;
    omega_ = p.omega;
    const auto width = static_cast<std::size_t>(p.nx);
    const auto rows = static_cast<std::size_t>(p.ny);
    for (std::size_t k = 0; k < 9; ++k) {
      d_[k] = cuda::pitched<float>(width, rows);
      d_[k].fill_bytes(0);
      d_[k].upload(p.diagonals[k].data(), width, rows);
    }
    f_ = cuda::pitched<float>(width, rows);
    f_.upload(p.f.data(), width, rows);
    for (auto* buffer : {&x_, &next_}) {
      *buffer = cuda::pitched<float>(width, rows + 2 * border_rows);
      buffer->fill_bytes(0);
    }
    if (x_.pitch() != d_[0].pitch() || x_.pitch() != f_.pitch())
      throw error("cudaMallocPitch gave arrays of one width different pitches");
    x0_ = p.x0;
    reset();
  }

  void reset() override {
    x_.upload(x0_.data(), static_cast<std::size_t>(nx_), static_cast<std::size_t>(ny_), 0, border_rows);
  }

  void sweep(int count) override {
    for (int s = 0; s < count; ++s) {
      sweep_once();
      std::swap(x_, next_);
    }
  }

  std::vector<float> solution() override {
    std::vector<float> x(x0_.size());
    x_.download(x.data(), static_cast<std::size_t>(nx_), static_cast<std::size_t>(ny_), 0, border_rows);
    return x;
  }

  stopwatch& clock() override { return clock_; }

 protected:
  // Computes next_ from x_.
  virtual void sweep_once() = 0;

  row_coefficients matrix() const {
    row_coefficients c{};
    for (std::size_t k = 0; k < 9; ++k) c.d[k] = d_[k].data();
    c.f = f_.data();
    c.pitch = static_cast<int>(f_.pitch());
    return c;
  }
  const float* x() const { return x_.data() + border_rows * x_.pitch(); }
  float* next() { return next_.data() + border_rows * next_.pitch(); }
  dim3 grid() const {
    return dim3((static_cast<unsigned>(nx_) + row_threads - 1) / row_threads, static_cast<unsigned>(ny_));
  }

  int nx_{};
  int ny_{};
  float omega_{};
  std::array<cuda::pitched<float>, 9> d_;
  cuda::pitched<float> f_, x_, next_;
  std::vector<float> x0_;
  cuda::event_stopwatch clock_;
};

// Three rows of x in shared memory: the block's own columns and one more on each side.
using row_tile = float[3][row_threads + 2];

// Words of the tile that are written and read for a node of a full block.
constexpr double tile_words = 3. * (row_threads + 2) / row_threads + 9;

// Every thread loads its column of three rows; the first and the last thread also load the column
// beyond (Fig 15). Threads past the end of the row load too: their columns are the right neighbour
// of the last node, or padding.
__device__ inline void load_tile(row_tile& tile, const float* x, int i, int pitch) {
  const int column = static_cast<int>(threadIdx.x) + 1;
  for (int row = 0; row < 3; ++row) {
    const float* const here = x + i + (row - 1) * pitch;
    tile[row][column] = here[0];
    if (threadIdx.x == 0) tile[row][0] = here[-1];
    if (threadIdx.x == row_threads - 1) tile[row][row_threads + 1] = here[1];
  }
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::jacobi
