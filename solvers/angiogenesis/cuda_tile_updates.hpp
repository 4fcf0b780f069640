// SPDX-License-Identifier: MIT
// All blocks outside the cluster that makes panels: they keep the tiles behind the panels up to date, a tile of 32
// columns at a time, and invert the finished diagonal blocks of U. And how the matrix is laid out in tiles.
#pragma once

#include "solvers/angiogenesis/cuda_tiles.hpp"

namespace reprise::angiogenesis::tiles {
inline namespace REPRISE_CUDA_FLAVOUR {

struct update_desk {
  square lower;
  square upper;
  square top;  // the tile's rows beside the diagonal block, before the swaps
  panel_moves moves;
};

// 16 rows of L and of a tile, as a warp holds them.
struct sixteen_rows {
  eight_rows l[2], c[2];

  __device__ void load(const double* l_rows, const double* c_rows, int first) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const long long at = place(first, h);
#pragma unroll
      for (int j = 0; j < tile / 8; ++j) {
        l[h][j] = load_pair(l_rows + at + 8 * j);
        c[h][j] = load_pair(c_rows + at + 8 * j);
      }
    }
  }
  __device__ void subtract(const upper_fragments& u, double* c_rows, int first) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      subtract_8_rows(c[h], l[h], u);
#pragma unroll
      for (int j = 0; j < tile / 8; ++j) store_pair(c_rows + place(first, h) + 8 * j, c[h][j]);
    }
  }

 private:
  static __device__ long long place(int first, int h) {
    return static_cast<long long>(first + 8 * h + lane_index() / 4) * tile + 2 * (lane_index() % 4);
  }
};

// C -= L U for `rows` rows, a multiple of 16. The next rows are loaded while these are multiplied.
__device__ inline void subtract_product(const double* l_rows, double* c_rows, int rows, const square& upper) {
  const upper_fragments u(upper);
  constexpr int step = 16 * warps;
  int first = 16 * warp_index();
  sixteen_rows next;
  if (first < rows) next.load(l_rows, c_rows, first);
  for (; first < rows; first += step) {
    sixteen_rows now = next;
    if (first + step < rows) next.load(l_rows, c_rows, first + step);
    now.subtract(u, c_rows, first);
  }
}

// Applies panel p to tile t: moves rows, solves for the rows of U, and subtracts from the rows below. The desk holds
// the panel's moves and L of its diagonal block.
__device__ inline void update_tile(const lu_system& s, int p, int t, update_desk& d) {
  const int first = p * tile, next = first + tile;
  for (int e = thread_index(); e < block_words / 2; e += threads) {
    const int i = e / 16, pair = 2 * (e % 16);
    cuda::copy_async(&pair_at(&d.upper[i][pair]), &pair_at(s.row(t, d.moves.origin[i]) + pair));
    cuda::copy_async(&pair_at(&d.top[i][pair]), &pair_at(s.row(t, first + i) + pair));
  }
  cuda::close_copies();
  cuda::wait_for_copies<0>();
  __syncthreads();
  for (int e = thread_index(); e < block_words / 2; e += threads) {
    const int to = d.moves.target[e / 16], pair = 2 * (e % 16);
    if (to >= next) store_pair(s.row(t, to) + pair, pair_at(&d.top[e / 16][pair]));
  }
  solve_lower<0, threads>(d.lower, d.upper);
  store_by_pairs(d.upper, s.row(t, first), thread_index(), threads);
  if (next < s.order) subtract_product(s.row(p, next), s.row(t, next), s.order - next, d.upper);
  __syncthreads();
}

// Inverts a finished diagonal block of U, by one warp, one column per lane.
__device__ inline void invert_upper(const square& u, double* to) {
  double x[tile];
  const int column = lane_index();
  const double own = 1 / u[column][column];
#pragma unroll
  for (int i = 0; i < tile; ++i) x[i] = i == column ? 1 : 0;
#pragma unroll
  for (int q = tile - 1; q >= 0; --q) {
    x[q] *= __shfl_sync(all_lanes, own, q);
#pragma unroll
    for (int i = 0; i < q; ++i) x[i] -= u[i][q] * x[q];
  }
#pragma unroll
  for (int i = 0; i < tile; ++i) __stcg(to + (column / 2) * 2 * tile + 2 * i + column % 2, x[i]);
}

// The work of block `self` of those outside the cluster: tiles self, self + others, ... The tile behind the last has
// the right-hand side.
__device__ inline void keep_tiles(const lu_system& s, int self, int others, update_desk& d) {
  if (self > s.tiles) return;
  const bool has_right_side = s.tiles % others == self;
  const int last = has_right_side ? s.tiles : self + (s.tiles - 1 - self) / others * others;
  for (int p = 0; p < s.tiles && p <= last; ++p) {
    if (thread_index() == 0) wait_for(s.panel_done + p, static_cast<unsigned>(s.cluster), s.patience);
    __syncthreads();
    if (thread_index() < 2 * tile)
      reinterpret_cast<int*>(&d.moves)[thread_index()] =
          __ldcg(reinterpret_cast<const int*>(s.moves + p) + thread_index());
    for (int e = thread_index(); e < block_words / 2; e += threads)
      pair_at(&d.lower[e / 16][2 * (e % 16)]) = load_pair(s.row(p, p * tile) + 2 * e);
    __syncthreads();
    for (int t = self; t <= s.tiles; t += others) {
      if (t == p && warp_index() == 0)
        invert_upper(d.lower, s.upper_inverse + static_cast<long long>(t) * block_words);
      // The cluster itself applies a panel to the tile behind it.
      if (t < p + 2 && t != s.tiles) continue;
      update_tile(s, p, t, d);
      if (t == p + 2 && thread_index() == 0) cuda::add_release(s.ready + t, 1);
    }
    __syncthreads();
  }
}

// Lays out the matrix, which is stored by columns, and b in tiles, with the identity beyond n, and resets the flags.
// Block (t, i) of the grid does rows 32 i ... of tile t.
__device__ inline void fill_tile(const lu_system& s, const double* a, const double* b) {
  REPRISE_SHARED_ARRAY(double, desk, [tile][tile + 1]);
  const int t = static_cast<int>(blockIdx.x), first = static_cast<int>(blockIdx.y) * tile;
  if (t == 0 && first == 0)
    for (int e = thread_index(); e <= s.tiles; e += threads) {
      s.ready[e] = 0;
      if (e < s.tiles) s.panel_done[e] = 0;
      if (e == 0) s.report[bad_column] = s.n;
      if (e == 0) s.report[swap_count] = 0;
    }
  for (int c = warp_index(); c < tile; c += warps) {
    const int i = first + lane_index(), j = t * tile + c;
    double v = i == j ? 1 : 0;
    if (t == s.tiles) {
      v = c == 0 && i < s.n ? b[i] : 0;
    } else if (i < s.n && j < s.n) {
      v = a[static_cast<long long>(j) * s.n + i];
    }
    desk[lane_index()][c] = v;
  }
  __syncthreads();
  for (int r = warp_index(); r < tile; r += warps) s.row(t, first + r)[lane_index()] = desk[r][lane_index()];
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis::tiles
