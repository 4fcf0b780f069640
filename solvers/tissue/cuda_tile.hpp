// SPDX-License-Identifier: MIT
// A block's tile of cells with a margin around it, kept in registers; fields that
// diffuse pass through shared memory.
//
// In each stage one more ring of the margin becomes stale, so a tile can make as many stages as its margin
// is wide. Beyond a border the margin holds the mirror image or periodic continuation of the tissue, whose
// cells are advanced like any others, so it remains valid. Stale cells are advanced too, with whatever
// values they have and with zeros beyond the tile: without branches the compiler can interleave the
// arithmetic of a thread's cells.
#pragma once

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/cuda_terms.hpp"
#include "solvers/tissue/models.hpp"
#include "solvers/tissue/stages.hpp"

namespace reprise::tissue {
inline namespace REPRISE_CUDA_FLAVOUR {

// Each thread has `rows` consecutive cells of a column, so that they share the values that they read.
template <int width_, int thread_rows_, int rows_>
struct tile_shape {
  static constexpr int width = width_;
  static constexpr int thread_rows = thread_rows_;
  static constexpr int rows = rows_;
  static constexpr int height = thread_rows * rows;
  static constexpr int threads = width * thread_rows;
};

template <class Real>
struct tissue_data {
  int nx, ny;
  edge border;
  chosen_terms terms;
  schedule_in<Real> schedule;
  Real coefficient[2];  // of the fields that diffuse
};

template <class Real>
tissue_data<Real> data_of(const problem& p, method m, double dt) {
  return {p.nx,
          p.ny,
          p.border,
          terms_of(p),
          rounded<Real>(schedule_of(m, dt)),
          {static_cast<Real>(coefficient_of(p, 0)), static_cast<Real>(coefficient_of(p, 1))}};
}

template <class Shape>
dim3 tiles_of(const problem& p) {
  constexpr int width = Shape::width - 2 * margin;
  constexpr int height = Shape::height - 2 * margin;
  return {static_cast<unsigned>((p.nx + width - 1) / width),
          static_cast<unsigned>((p.ny + height - 1) / height)};
}

// How many cells tiles compute for each of the tissue's, margins and what lies beyond the borders included.
template <class Shape>
double computed_per_cell(const problem& p) {
  const dim3 all = tiles_of<Shape>(p);
  return 1.0 * all.x * all.y * Shape::width * Shape::height / static_cast<double>(p.cells());
}

// Whether a block on the current device can have the shared memory of such a tile.
template <class Tile>
bool fits_block() {
  return Tile::shared_values * sizeof(typename Tile::real) <=
         cuda::current_properties().shared_bytes_per_block;
}

// The first column and row of a tile in the tissue, margin included.
struct tile_corner {
  int x, y;
};

template <class Shape>
__device__ tile_corner corner_of(int tile_x, int tile_y) {
  return {tile_x * (Shape::width - 2 * margin) - margin, tile_y * (Shape::height - 2 * margin) - margin};
}

template <class Real, class Model, class Terms, class Shape>
struct tile {
  using real = Real;
  static constexpr int fields = Model::fields;
  static constexpr int rows = Shape::rows;
  // Values of a field that diffuses, with a row of zeros below and above.
  static constexpr int field_values = (Shape::height + 2) * Shape::width;
  // Two sets of these fields: one is written while the other may still be read. The outermost corners also
  // read one value before the first field and one after the last.
  static constexpr int shared_values = 2 * Model::diffusing * field_values + 2;

  const tissue_data<Real>& all;
  const device_terms<Real, Terms> terms;
  Real* shared;
  int column, first_row;  // of this thread's first cell in the tile
  tile_corner corner{};
  int right{}, top{};  // end of the margin around the tile's own cells
  int turn{};
  Real z[rows][fields];
  Real argument[rows][fields];
  Real sum[rows][fields];

  // Bytes of shared memory in a stage, per cell of the tile: its own value is written and read, and the cells of a thread
  // share what they read around them.
  static constexpr double shared_bytes_of_stage =
      sizeof(Real) * Model::diffusing * (1 + 3. * (rows + 2) / rows);

  __device__ tile(const tissue_data<Real>& d, Real* shared_memory)
      : all(d),
        terms(device_terms_as<Real, Terms>(d.terms)),
        shared(shared_memory),
        column(static_cast<int>(threadIdx.x) % Shape::width),
        first_row(static_cast<int>(threadIdx.x) / Shape::width * rows) {
    clear_surroundings();
  }

  __device__ void go_to(tile_corner to) {
    corner = to;
    right = min(Shape::width, all.nx + margin - to.x);
    top = min(Shape::height, all.ny + margin - to.y);
  }

  __device__ int row(int r) const { return first_row + r; }
  __device__ int cells() const { return all.nx * all.ny; }
  // The cell of the tissue that this thread's cell is or copies, for a tile at the given corner.
  __device__ int place(int r, tile_corner from) const {
    return folded(all.border, from.y + row(r), all.ny) * all.nx + folded(all.border, from.x + column, all.nx);
  }
  __device__ int place(int r) const { return place(r, corner); }
  __device__ bool is_within(int r, int rings) const {
    return column >= rings && column < right - rings && row(r) >= rings && row(r) < top - rings;
  }
  __device__ bool is_own(int r) const { return is_within(r, margin); }

  __device__ void load(const Real* from) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int f = 0; f < fields; ++f) argument[r][f] = z[r][f] = from[f * cells() + place(r)];
  }

  __device__ void store(Real* to) const {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      if (!is_own(r)) continue;
#pragma unroll
      for (int f = 0; f < fields; ++f)
        to[f * cells() + (corner.y + row(r)) * all.nx + corner.x + column] = z[r][f];
    }
  }

  // The zeros are first read after the barrier of the first stage.
  __device__ void clear_surroundings() {
    if (threadIdx.x == 0) shared[0] = shared[shared_values - 1] = 0;
    if (threadIdx.x >= Shape::width) return;
    for (int field = 0; field < 2 * Model::diffusing; ++field) {
      Real* const from = shared + 1 + field * field_values + column;
      from[0] = from[(Shape::height + 1) * Shape::width] = 0;
    }
  }

  // This thread's first cell in shared memory.
  __device__ Real* diffusing(int f) const {
    return shared + 1 + (turn * Model::diffusing + f) * field_values + (first_row + 1) * Shape::width +
           column;
  }

  __device__ void step() {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int f = 0; f < fields; ++f) sum[r][f] = 0;
    for (int s = 0; s < all.schedule.stages; ++s) evaluate(all.schedule.of[s]);
    const Real h = all.schedule.of[all.schedule.stages - 1].h;
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int f = 0; f < fields; ++f)
        if (!has_own_method(f)) argument[r][f] = z[r][f] += h * sum[r][f];
  }

  __device__ static constexpr bool has_own_method(int f) {
    return Model::has_own_gates && f > 0;
  }

  __device__ void evaluate(stage_in<Real> how) {
#pragma unroll
    for (int f = 0; f < Model::diffusing; ++f)
#pragma unroll
      for (int r = 0; r < rows; ++r) diffusing(f)[r * Shape::width] = argument[r][f];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows; ++r) advance(r, how);
    turn ^= 1;
  }

  // The argument is not needed after the last stage, but computing it costs less than a test.
  __device__ void advance(int r, stage_in<Real> how) {
    Real here[fields], term[fields];
#pragma unroll
    for (int f = 0; f < fields; ++f)
      here[f] = f < Model::diffusing ? diffusing(f)[r * Shape::width] : argument[r][f];
    Model::local_terms(terms, how.h, here, term);
#pragma unroll
    for (int f = 0; f < Model::diffusing; ++f) {
      const Real* const at = diffusing(f) + r * Shape::width;
      term[f] +=
          all.coefficient[f] * weighted_sum([at](int dx, int dy) { return at[dx + dy * Shape::width]; });
    }
#pragma unroll
    for (int f = 0; f < fields; ++f) {
      if (has_own_method(f)) {
        argument[r][f] = z[r][f] = term[f];
      } else {
        sum[r][f] += how.weight * term[f];
        argument[r][f] = z[r][f] + how.h * term[f];
      }
    }
  }
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::tissue
