// SPDX-License-Identifier: MIT
// The matrix of a blocked LU factorisation in tiles of 32 columns, and steps that the blocks share which factorise
// panels (cuda_tile_panels.hpp), keep the tiles behind them up to date (cuda_tile_updates.hpp) and substitute
// (cuda_tile_solve.hpp).
// Formula: P A = L U with the pivots of LAPACK: the largest magnitude, and of equal ones the first row as the swaps
// so far have left them.
#pragma once

#include "solvers/common/cuda/barrier.hpp"
#include "solvers/common/cuda/cluster.hpp"

namespace reprise::angiogenesis::tiles {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int tile = 32;          // columns of a tile or panel, rows of a block of the matrix
constexpr int stride = tile + 2;  // of a row in shared memory, so that rows begin in different banks
constexpr int lanes = 32;
constexpr unsigned all_lanes = 0xffffffffU;
constexpr int threads = 256;
constexpr int warps = threads / lanes;
constexpr int most_cluster = 16;
constexpr int block_words = tile * tile;

// A block of the matrix in shared memory.
using square = double[tile][stride];

// The row swaps of a panel. Row 32 p + c came from origin[c]; what was in row 32 p + i is now in target[i].
struct panel_moves {
  int origin[tile];
  int target[tile];
};

enum report { bad_column, swap_count, report_words };

struct lu_system {
  int n;        // columns to eliminate
  int order;    // a multiple of 32; beyond n stands the identity
  int tiles;    // order / 32; one more tile has the right-hand side in its first column
  int cluster;  // blocks that factorise
  // Row i of tile t: 32 values at (t * order + i) * 32. Finished blocks above the diagonal are stored by pairs of
  // columns: pair, row, 2.
  double* values;
  double* upper_inverse;  // of each diagonal block, by pairs of columns
  const double* floors;   // lower limits of the pivots
  panel_moves* moves;     // of each panel
  unsigned* panel_done;   // of each panel: how many blocks of the cluster have written it
  unsigned* ready;        // of each tile: 1 when all panels but the last one before it have been applied
  int* report;
  cuda::patience patience;

  __device__ double* row(int t, int i) const {
    return values + (static_cast<long long>(t) * order + i) * tile;
  }
};

__device__ inline int thread_index() {
  return static_cast<int>(threadIdx.x);
}
__device__ inline int lane_index() {
  return thread_index() % lanes;
}
__device__ inline int warp_index() {
  return thread_index() / lanes;
}

// Pairs in global memory are read and written past the first-level cache, because other blocks share them.
__device__ inline double2 load_pair(const double* p) {
  return __ldcg(reinterpret_cast<const double2*>(p));
}
__device__ inline void store_pair(double* p, double2 v) {
  __stcg(reinterpret_cast<double2*>(p), v);
}
__device__ inline double2& pair_at(double* p) {
  return *reinterpret_cast<double2*>(p);
}
__device__ inline const double2& pair_at(const double* p) {
  return *reinterpret_cast<const double2*>(p);
}

// By one thread, until a flag between blocks has this value.
__device__ inline void wait_for(const unsigned* flag, unsigned value, const cuda::patience& most) {
  cuda::wait_until(most, [&] { return cuda::load_acquire(flag) >= value; });
}

__device__ inline unsigned largest_of_warp(unsigned value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(all_lanes, value);
#else
  for (int distance = lanes / 2; distance > 0; distance /= 2)
    value = max(value, __shfl_xor_sync(all_lanes, value, distance));
  return value;
#endif
}

// The lane with the largest magnitude and, of equal ones, the lowest position. A magnitude has the bits of |value|
// plus 2^32, or is 0 in a lane without a candidate. These bits order like integers. A NaN comes out on top, and is then
// refused as a pivot. Among values whose high bits are all zero any lane will do: they are below all pivots.
__device__ inline int best_lane(unsigned long long magnitude, int position) {
  const auto high = static_cast<unsigned>(magnitude >> 32U);
  const unsigned top = largest_of_warp(high);
  unsigned best = __ballot_sync(all_lanes, high == top);
  if (top > 1 && (best & (best - 1)) != 0) {
    const unsigned low = high == top ? static_cast<unsigned>(magnitude) : 0;
    const unsigned bottom = largest_of_warp(low);
    const bool is_best = high == top && low == bottom;
    const unsigned first = ~largest_of_warp(is_best ? ~static_cast<unsigned>(position) : 0);
    best = __ballot_sync(all_lanes, is_best && static_cast<unsigned>(position) == first);
  }
  return __ffs(best) - 1;
}

// Solves rows first ... first + 15 of L x = b in place, one column per lane.
__device__ inline void solve_16(const square& lower, square& x, int first) {
  double v[16];
  const int column = lane_index();
#pragma unroll
  for (int i = 0; i < 16; ++i) v[i] = x[first + i][column];
#pragma unroll
  for (int q = 0; q < 15; ++q)
#pragma unroll
    for (int i = q + 1; i < 16; ++i) v[i] -= lower[first + i][first + q] * v[q];
#pragma unroll
  for (int i = 0; i < 16; ++i) x[first + i][column] = v[i];
}

// Solves L x = b in place, 32 x 32, where L has ones on its diagonal. Called by the first `count` threads of the block,
// which meet at barrier `which`, also at the end.
template <int which, int count>
__device__ void solve_lower(const square& lower, square& x) {
  const int column = lane_index();
  if (warp_index() == 0) solve_16(lower, x, 0);
  cuda::meet<which, count>();
#pragma unroll
  for (int i = 16 + warp_index(); i < tile; i += count / lanes) {
    double sum = x[i][column];
#pragma unroll
    for (int q = 0; q < 16; ++q) sum -= lower[i][q] * x[q][column];
    x[i][column] = sum;
  }
  cuda::meet<which, count>();
  if (warp_index() == 0) solve_16(lower, x, 16);
  cuda::meet<which, count>();
}

// Stores a block by pairs of columns, by threads self, self + count, ...
__device__ inline void store_by_pairs(const square& x, double* to, int self, int count) {
  for (int e = self; e < block_words / 2; e += count)
    store_pair(to + 2 * e, pair_at(&x[e % tile][2 * (e / tile)]));
}

// A lane's share of -U as the matrix unit takes it: in step s row 8 (s / 2) + 2 (lane % 4) + s % 2.
struct upper_fragments {
  static constexpr int columns = tile / 8, steps = tile / 4;
  double b[columns][steps];

  __device__ explicit upper_fragments(const square& upper) {
#pragma unroll
    for (int j = 0; j < columns; ++j)
#pragma unroll
      for (int s = 0; s < steps; ++s)
        b[j][s] = -upper[8 * (s / 2) + 2 * (lane_index() % 4) + s % 2][8 * j + lane_index() / 4];
  }
};

// 8 rows of a tile, and of L, as a warp holds them: row lane / 4, columns 8 j + 2 (lane % 4) and the next.
using eight_rows = double2[tile / 8];

// C -= L U for 8 rows.
__device__ inline void subtract_8_rows(eight_rows& c, const eight_rows& l, const upper_fragments& u) {
#pragma unroll
  for (int s = 0; s < upper_fragments::steps; ++s)
#pragma unroll
    for (int j = 0; j < upper_fragments::columns; ++j)
      cuda::multiply_add_8x8x4(c[j], s % 2 == 0 ? l[s / 2].x : l[s / 2].y, u.b[j][s]);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis::tiles
