// SPDX-License-Identifier: MIT
// A block's tile of cells with a margin around, kept in registers; what diffuses passes through shared
// memory. Each stage one more ring of the margin goes stale, so a tile is good for as many stages as its
// margin is wide. What lies beyond a border is the tissue's mirror image or continuation: it takes part like
// any cell and stays that.
#pragma once

#include "solvers/common/cuda.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/models.hpp"
#include "solvers/tissue/stages.hpp"

namespace reprise::tissue {
inline namespace REPRISE_CUDA_FLAVOUR {

// A thread for each column and each of thread_rows rows; it has `rows` cells, thread_rows apart.
template <int width_, int thread_rows_, int rows_>
struct tile_shape {
  static constexpr int width = width_;
  static constexpr int thread_rows = thread_rows_;
  static constexpr int rows = rows_;
  static constexpr int height = thread_rows * rows;
  static constexpr int threads = width * thread_rows;
};

struct tissue_data {
  int nx, ny;
  edge border;
  chosen_terms terms;
  schedule how;
  double coefficient[2];  // of what diffuses
};

inline tissue_data data_of(const problem& p, method m, double dt) {
  return {
      p.nx, p.ny, p.border, terms_of(p), schedule_of(m, dt), {coefficient_of(p, 0), coefficient_of(p, 1)}};
}

template <class Shape>
dim3 tiles_of(const problem& p) {
  constexpr int width = Shape::width - 2 * margin;
  constexpr int height = Shape::height - 2 * margin;
  return {static_cast<unsigned>((p.nx + width - 1) / width),
          static_cast<unsigned>((p.ny + height - 1) / height)};
}

template <class Model, class Terms, class Shape>
struct tile {
  static constexpr int fields = Model::fields;
  static constexpr int rows = Shape::rows;
  // Two sets of what diffuses: one is written while the other may still be read.
  static constexpr int shared_values = 2 * Model::diffusing * Shape::height * Shape::width;

  const tissue_data& all;
  const Terms terms;
  double* shared;
  int column, first_row;  // of this thread in the tile
  int x, y0;              // of its column, and of the tile's first row, in the tissue
  int right, top;         // beyond the margin around the tile's own cells
  int stale{};            // rings
  int turn{};
  double z[rows][fields];
  double argument[rows][fields];
  double sum[rows][fields];

  __device__ tile(const tissue_data& d, double* shared_memory)
      : all(d),
        terms(terms_as<Terms>(d.terms)),
        shared(shared_memory),
        column(static_cast<int>(threadIdx.x) % Shape::width),
        first_row(static_cast<int>(threadIdx.x) / Shape::width),
        x(static_cast<int>(blockIdx.x) * (Shape::width - 2 * margin) - margin + column),
        y0(static_cast<int>(blockIdx.y) * (Shape::height - 2 * margin) - margin),
        right(min(Shape::width, d.nx + margin - (x - column))),
        top(min(Shape::height, d.ny + margin - y0)) {}

  __device__ int row(int r) const { return first_row + r * Shape::thread_rows; }
  __device__ int cells() const { return all.nx * all.ny; }
  // The cell of the tissue that this thread's cell is or stands for.
  __device__ int place(int r) const {
    return folded(all.border, y0 + row(r), all.ny) * all.nx + folded(all.border, x, all.nx);
  }
  __device__ bool is_within(int r, int rings) const {
    return column >= rings && column < right - rings && row(r) >= rings && row(r) < top - rings;
  }
  __device__ bool is_own(int r) const { return is_within(r, margin); }

  __device__ void load(const double* from) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int f = 0; f < fields; ++f) argument[r][f] = z[r][f] = from[f * cells() + place(r)];
  }

  __device__ void store(double* to) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!is_own(r)) continue;
#pragma unroll
      for (int f = 0; f < fields; ++f) to[f * cells() + (y0 + row(r)) * all.nx + x] = z[r][f];
    }
  }

  __device__ double* diffusing(int f) const {
    return shared + (turn * Model::diffusing + f) * Shape::height * Shape::width;
  }

  __device__ void step() {
    for (int s = 0; s < all.how.stages; ++s) evaluate(all.how.of[s], s == 0, s == all.how.stages - 1);
  }

  __device__ void evaluate(stage how, bool is_first, bool is_last) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int f = 0; f < Model::diffusing; ++f)
        diffusing(f)[row(r) * Shape::width + column] = argument[r][f];
    __syncthreads();
    ++stale;
#pragma unroll
    for (int r = 0; r < rows; ++r)
      if (is_within(r, stale)) advance(r, how, is_first, is_last);
    turn ^= 1;
  }

  __device__ void advance(int r, stage how, bool is_first, bool is_last) {
    double term[fields];
    Model::local_terms(terms, how.h, argument[r], term);
#pragma unroll
    for (int f = 0; f < Model::diffusing; ++f) {
      const double* const at = diffusing(f) + row(r) * Shape::width + column;
      term[f] +=
          all.coefficient[f] * weighted_sum([at](int dx, int dy) { return at[dx + dy * Shape::width]; });
    }
#pragma unroll
    for (int f = 0; f < fields; ++f) {
      if (Model::has_own_gates && f > 0) {
        argument[r][f] = z[r][f] = term[f];
        continue;
      }
      const double total = (is_first ? 0 : sum[r][f]) + how.weight * term[f];
      if (is_last) {
        z[r][f] += how.h * total;
        argument[r][f] = z[r][f];
      } else {
        sum[r][f] = total;
        argument[r][f] = z[r][f] + how.h * term[f];
      }
    }
  }
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::tissue
