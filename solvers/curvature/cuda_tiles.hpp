// SPDX-License-Identifier: MIT
// A stage on a small grid, or of the Willmore flow: each block has a tile of nodes and forms the argument and
// w around them in shared memory.
#pragma once

#include "solvers/curvature/cuda_attempt.hpp"
#include "solvers/curvature/cuda_stencil.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int tile_columns = 32;
constexpr int tile_rows = 8;

// Moves a node beyond the border to where its value is found: on the border, or inside it where nothing flows through.
template <boundary at_border>
__device__ void move_inside(int& i, int& j, int nx, int ny) {
  constexpr int edge = at_border == boundary::neumann ? 1 : 0;
  i = min(max(i, edge), nx - 1 - edge);
  j = min(max(j, edge), ny - 1 - edge);
}

// The argument at node (i, j), with the boundary condition imposed.
template <int stage, boundary at_border, class Real>
__device__ Real argument_at(const fields<Real>& f, const inputs<Real>& in, int i, int j) {
  move_inside<at_border>(i, j, f.nx, f.ny);
  if (at_border == boundary::manufactured && (i == 0 || i == f.nx - 1 || j == 0 || j == f.ny - 1))
    return in.at.c * f.zeta_x[i].d[0] * f.zeta_y[j].d[0];
  return argument<stage>(fetch<stage>(f, in.current, f.place(i, j)), in.tau);
}

// The right-hand side (21) without forcing at the thread's node. `a` points to the argument at the block's
// first node. All threads of the block must call it. Of the fields it needs the grid only.
template <boundary at_border, class Real, class Fields>
__device__ Real willmore_rate(const Fields& f, const Real* a, int a_columns, int i0, int j0) {
  constexpr int w_columns = tile_columns + 2;
  REPRISE_SHARED_ARRAY(Real, w, [(tile_rows + 2) * w_columns]);
  const int thread = static_cast<int>(threadIdx.x + threadIdx.y * tile_columns);
  for (int n = thread; n < (tile_rows + 2) * w_columns; n += tile_columns * tile_rows) {
    int column = n % w_columns - 1;
    int row = n / w_columns - 1;
    const int i = i0 + column;
    const int j = j0 + row;
    const bool is_border = i == 0 || i == f.nx - 1 || j == 0 || j == f.ny - 1;
    if (is_border && at_border == boundary::neumann) {
      column += i == 0 ? 1 : i == f.nx - 1 ? -1 : 0;
      row += j == 0 ? 1 : j == f.ny - 1 ? -1 : 0;
    }
    const Real* const here = a + row * a_columns + column;
    w[n] = is_border && at_border != boundary::neumann
               ? Real(0)
               : bending_at([here, a_columns](int dx, int dy) { return here[dy * a_columns + dx]; }, f.ih);
  }
  __syncthreads();
  const int column = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(threadIdx.y);
  const Real* const a_here = a + row * a_columns + column;
  const Real* const w_here = w + (row + 1) * w_columns + column + 1;
  return willmore_bending_at([a_here, a_columns](int dx, int dy) { return a_here[dy * a_columns + dx]; },
                             [w_here](int dx, int dy) { return w_here[dy * w_columns + dx]; }, f.ih);
}

// Stores a node's rate or, in the last stage, the new surface; returns the bits of its error.
template <int stage, class Real>
__device__ unsigned long long finish_stage(const fields<Real>& f, const inputs<Real>& in, int node,
                                           Real rate) {
  Real* const to = result_of<stage>(f, in.current) + node;
  if constexpr (stage < 4) {
    *to = rate;
    return 0;
  } else {
    const ingredients<Real> from = fetch<stage>(f, in.current, node);
    *to = advanced(from, in.tau, rate);
    return bits_of(error_at(from.k[0], from.k[1], from.k[2], rate));
  }
}

// Number of nodes of one thread, one above the other. Two nodes share the flux through the edge between them.
template <flow motion>
constexpr int rows_of_thread = motion == flow::willmore ? 1 : 2;

template <class Real, flow motion, boundary at_border, int stage, judge by>
__global__ void __launch_bounds__(tile_columns* tile_rows, motion == flow::willmore ? 3 : 4)
    evaluate_tiles(fields<Real> f, int parity, launched_rows launched) {
  constexpr int rows = rows_of_thread<motion>;
  constexpr int ring = reach_of(motion);
  constexpr int a_columns = tile_columns + 2 * ring;
  constexpr int a_rows = tile_rows * rows + 2 * ring;
  REPRISE_SHARED_ARRAY(Real, a, [a_rows * a_columns]);
  constexpr int threads = tile_columns * tile_rows;
  const int thread = static_cast<int>(threadIdx.x + threadIdx.y * tile_columns);
  const row_range own = launched.of_block();
  // The first own node of the block, and that of the thread.
  const int i0 = 1 + static_cast<int>(blockIdx.x) * tile_columns;
  const int j0 = own.first + static_cast<int>(blockIdx.y) * tile_rows * rows;
  const int i = i0 + static_cast<int>(threadIdx.x);
  const int j = j0 + static_cast<int>(threadIdx.y) * rows;
  // Constant data is read while the preceding launch still runs.
  const profile<Real> x = f.zeta_x[min(i, f.nx - 1)];
  profile<Real> y[rows];
#pragma unroll
  for (int r = 0; r < rows; ++r) y[r] = f.zeta_y[min(j + r, f.ny - 1)];

  cuda::wait_for_preceding();
  const inputs<Real> in = inputs_of<stage>(f, parity);
  const bool is_beside_nodes = blockIdx.y + 1 == gridDim.y;
  if (is_deciding<by, stage>(f, parity, is_beside_nodes, blockIdx.x == 0) || !in.is_running) return;
#pragma unroll
  for (int n = thread; n < a_rows * a_columns; n += threads)
    a[n] = argument_at<stage, at_border>(f, in, i0 - ring + n % a_columns,
                                         min(j0 - ring + n / a_columns, own.last - 1 + ring));
  Real rate[rows] = {};
  if constexpr (at_border == boundary::manufactured)
#pragma unroll
    for (int r = 0; r < rows; ++r) rate[r] = forcing_at<motion>(x, y[r], in.at);
  __syncthreads();
  const Real* const a_first = a + ring * a_columns + ring;
  if constexpr (motion == flow::willmore) {
    rate[0] += willmore_rate<at_border>(f, a_first, a_columns, i0, j0);
  } else {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const Real* const here = a_first + (threadIdx.y * rows + r) * a_columns + threadIdx.x;
      rate[r] += bending_at([here](int dx, int dy) { return here[dy * a_columns + dx]; }, f.ih);
    }
  }

  // Not earlier: the waiting blocks of the next launch would spread unevenly over the multiprocessors.
  cuda::let_following_start();
  unsigned long long error_bits = 0;
#pragma unroll
  for (int r = 0; r < rows; ++r)
    if (i < f.nx - 1 && j + r < own.last)
      error_bits = larger(error_bits, finish_stage<stage>(f, in, f.place(i, j + r), rate[r]));
  if constexpr (stage == 4) report_error(f.decided[parity].largest_error, error_bits);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
