// SPDX-License-Identifier: MIT
// A tile of the grid in one block's shared memory: its arrays, its nodes' order, and which threads work on them.
//
// The depth of an own node is the number of own nodes between it and the nearest neighbouring tile; those in the rings
// around the tile have depths -1 and -2. Nodes are numbered from the deepest to the outermost. The first ones are deep:
// their right-hand side needs no value from outside. Some of the block's warps work on nothing but deep nodes, so they
// need not wait for what the others receive.
#pragma once

#include <algorithm>
#include <cstddef>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/common/cuda/mail.hpp"
#include "solvers/curvature/controller.hpp"
#include "solvers/curvature/cuda_forcing.hpp"
#include "solvers/curvature/cuda_stencil.hpp"
#include "solvers/curvature/problem.hpp"
#include "solvers/curvature/row_blocks.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int warp = 32;

template <class Real>
struct tiles {
  int nx, ny;           // nodes of the grid
  int width, height;    // of a tile, in inner nodes
  int nodes_of_thread;  // at most
  inverse_steps<Real> ih;
  const profile<Real>* zeta_x;
  const profile<Real>* zeta_y;
  const Real* forcing;  // words of forcing_series of all nodes, for kernels that keep it
  Real* u;
  unsigned long long* mail;    // [parity][node][words]
  unsigned long long* errors;  // [parity][block][2]
  merson start;
  merson* end;
  unsigned epoch;  // number of exchanges in earlier launches
  cuda::patience patience;
};

// Column and row in a tile; in its rings they may be negative.
struct spot {
  int column, row;
};

// Node m of the outermost nodes of a rectangle.
__device__ inline spot on_rim(int m, int width, int height) {
  if (m < width) return {m, 0};
  m -= width;
  if (m < width) return {m, height - 1};
  m -= width;
  return width == 1 ? spot{0, m + 1} : spot{m % 2 == 0 ? 0 : width - 1, m / 2 + 1};
}

// keeps: a thread has one node at most, and keeps its place; under Willmore flow also its shape and its series of the
// forcing.
template <class Real, flow motion, boundary at_border, bool keeps>
struct tile {
  static constexpr int ring = reach_of(motion);
  static constexpr bool keeps_nodes = keeps;
  static constexpr bool has_w = motion == flow::willmore;
  static constexpr bool is_forced = at_border == boundary::manufactured;
  static constexpr bool has_series = keeps && has_w && is_forced;
  // u and its successor, k1 and its successor, k3, k2 or k4, forcing; then the forcing's series.
  static constexpr int first_of_series = 7;
  static constexpr int own_fields = first_of_series + (has_series ? forcing_series<Real>::words : 0);

  const tiles<Real>& all;
  int i0, j0;         // its first own node
  int width, height;  // number of its own nodes
  int pitch;          // row length of arguments
  Real* fields;       // for own nodes only
  Real* w;
  int deep_nodes;
  unsigned long long deep_rows_per_node;  // times 2^32, rounded up

  // A spot in half the space.
  struct kept_spot {
    short column, row;
  };
  kept_spot* spots;  // of the nodes that are not deep

  __device__ tile(const tiles<Real>& t, Real* shared) : all(t) {
    i0 = 1 + static_cast<int>(blockIdx.x) * t.width;
    j0 = 1 + static_cast<int>(blockIdx.y) * t.height;
    width = min(t.width, t.nx - 1 - i0);
    height = min(t.height, t.ny - 1 - j0);
    pitch = pitch_of(t.width);
    fields = shared;
    w = argument(2);
    spots = reinterpret_cast<kept_spot*>(w + (has_w ? pitch * (t.height + 2) : 0));
    deep_nodes = deeper(ring - 1);
    deep_rows_per_node = (1ULL << 32U) / static_cast<unsigned>(max(width - 2 * ring, 1)) + 1;
  }

  // The rows of deep nodes follow each other without a gap in the banks of shared memory.
  static __host__ __device__ constexpr int pitch_of(int width) {
    constexpr int banks = 16;
    return keeps ? width - 2 * ring + banks : width + 2 * ring;
  }

  __device__ Real* own(int field) const { return fields + field * all.width * all.height; }

  // Two arguments alternate, so that one can be formed while the other may still be read.
  __device__ Real* argument(int which) const {
    return own(own_fields) + which * pitch * (all.height + 2 * ring);
  }

  static std::size_t shared_bytes(int width, int height) {
    const int with_rings = pitch_of(width) * (height + 2 * ring);
    const int of_w = has_w ? pitch_of(width) * (height + 2) : 0;
    const int deep = std::max(width - 2 * ring, 0) * std::max(height - 2 * ring, 0);
    const int not_deep = (width + 2 * ring) * (height + 2 * ring) - deep;
    return sizeof(Real) * static_cast<std::size_t>(own_fields * width * height + 2 * with_rings + of_w) +
           sizeof(kept_spot) * static_cast<std::size_t>(not_deep);
  }

  // Number of nodes deeper than this.
  __device__ int deeper(int depth) const {
    return max(width - 2 * (depth + 1), 0) * max(height - 2 * (depth + 1), 0);
  }
  __device__ int own_nodes() const { return deeper(-1); }
  // Nodes whose w needs no value from outside, and all nodes whose w is needed.
  __device__ int inner_nodes() const { return deeper(0); }
  __device__ int bent_nodes() const { return has_w ? deeper(-2) : own_nodes(); }
  __device__ int nodes_with_rings() const { return deeper(-ring - 1); }

  // Writes where the nodes are that are not deep: reading it takes less time than finding it again. By all threads,
  // before a barrier.
  __device__ void keep_spots() const {
    const int end = nodes_with_rings();
    for (int n = deep_nodes + static_cast<int>(threadIdx.x); n < end; n += static_cast<int>(blockDim.x)) {
      int depth = ring - 1;
      while (n >= deeper(depth - 1)) --depth;
      const spot s = on_rim(n - deeper(depth), width - 2 * depth, height - 2 * depth);
      spots[n - deep_nodes] = {static_cast<short>(s.column + depth), static_cast<short>(s.row + depth)};
    }
  }

  __device__ spot spot_of(int n) const {
    if (n < deep_nodes) {
      const int row = static_cast<int>(static_cast<unsigned>(n) * deep_rows_per_node >> 32U);
      return {ring + n - row * (width - 2 * ring), ring + row};
    }
    const kept_spot s = spots[n - deep_nodes];
    return {s.column, s.row};
  }

  // Index of a node in an argument and in w.
  __device__ int place(spot s) const { return (s.row + ring) * pitch + s.column + ring; }
  __device__ int w_place(spot s) const { return (s.row + 1) * pitch + s.column + 1; }

  __device__ unsigned long long* box(unsigned tag, int i, int j) const {
    return all.mail +
           (static_cast<long long>(tag & 1U) * all.nx * all.ny + i + static_cast<long long>(j) * all.nx) *
               cuda::mail_words<Real>;
  }

  // Stores an own node's value in the tile's argument, and sends it if a neighbouring tile needs it.
  __device__ void put(unsigned tag, Real* argument, spot s, Real value) const {
    argument[place(s)] = value;
    if (s.column < ring || s.column >= width - ring || s.row < ring || s.row >= height - ring)
      cuda::post(box(tag, i0 + s.column, j0 + s.row), tag, value);
    if (at_border == boundary::neumann) copy_to_border(argument, s, value);
  }

  // Each border node gets the value of its inner neighbour, and a corner that of its diagonal neighbour.
  __device__ void copy_to_border(Real* argument, spot s, Real value) const {
    const int i = i0 + s.column;
    const int j = j0 + s.row;
    for (int dj = j == 1 ? -1 : 0; dj <= (j == all.ny - 2 ? 1 : 0); ++dj)
      for (int di = i == 1 ? -1 : 0; di <= (i == all.nx - 2 ? 1 : 0); ++di)
        argument[place({s.column + di, s.row + dj})] = value;
  }

  // Sets a node of the rings from the boundary condition or from the neighbouring tile.
  __device__ void receive(unsigned tag, Real* argument, Real c, spot s) const {
    int i = i0 + s.column;
    int j = j0 + s.row;
    if (i < 0 || i > all.nx - 1 || j < 0 || j > all.ny - 1) return;
    Real& here = argument[place(s)];
    if (is_on_border(i, j)) {
      if (at_border == boundary::manufactured) here = c * all.zeta_x[i].d[0] * all.zeta_y[j].d[0];
      if (at_border == boundary::dirichlet) here = all.u[i + j * all.nx];
      if (at_border != boundary::neumann) return;
      i = min(max(i, 1), all.nx - 2);
      j = min(max(j, 1), all.ny - 2);
      if (i >= i0 && i < i0 + width && j >= j0 && j < j0 + height) return;  // copy_to_border() has set it
    }
    cuda::collect(box(tag, i, j), tag, here, all.patience);
  }

  __device__ bool is_on_border(int i, int j) const {
    return i == 0 || i == all.nx - 1 || j == 0 || j == all.ny - 1;
  }

  __device__ auto around(const Real* here) const {
    return [here, across = pitch](int dx, int dy) { return here[dx + dy * across]; };
  }

  // Computes w at a node of the tile or of the ring around it, and the node's shape.
  __device__ void bend(const Real* argument, spot s, node_shape<Real>& shape) const {
    Real& here = w[w_place(s)];
    const int i = i0 + s.column;
    const int j = j0 + s.row;
    if (is_on_border(i, j)) {
      if (at_border != boundary::neumann) {
        here = 0;
        return;
      }
      s.column += i == 0 ? 1 : i == all.nx - 1 ? -1 : 0;
      s.row += j == 0 ? 1 : j == all.ny - 1 ? -1 : 0;
    }
    shape = shape_at(around(argument + place(s)), all.ih);
    here = bending_of(shape, all.ih);
  }

  // Copies the series of an own node's forcing to the tile.
  __device__ void keep_series(int n, spot s) const {
    const int nodes = all.nx * all.ny;
    const int stride = all.width * all.height;
    const Real* const from = all.forcing + i0 + s.column + (j0 + s.row) * all.nx;
    for (int k = 0; k < forcing_series<Real>::words; ++k)
      own(first_of_series)[n + k * stride] = from[k * nodes];
  }

  __device__ Real forcing(int n, spot s, phase<Real> at) const {
    if constexpr (has_series) return series_from(own(first_of_series) + n, all.width * all.height).at(at);
    return forcing_at<motion>(all.zeta_x[i0 + s.column], all.zeta_y[j0 + s.row], at);
  }

  // The right-hand side without forcing at a node, with its shape if that is kept.
  __device__ Real rate(const Real* argument, spot s, [[maybe_unused]] const node_shape<Real>& shape) const {
    const auto u = around(argument + place(s));
    if constexpr (motion == flow::mean_curvature) {
      return bending_at(u, all.ih);
    } else if constexpr (keeps) {
      return willmore_bending_of(shape, around(w + w_place(s)), all.ih);
    } else {
      return willmore_bending_at(u, around(w + w_place(s)), all.ih);
    }
  }
};

// What a thread does in its tile: nodes with the numbers first, first + stride, ... below end.
struct worker {
  int deep_threads;  // of the block
  int near_threads;  // the others, which receive the rings
  bool is_deep;
  int first, stride, end;

  template <class Tile>
  __device__ worker(const Tile& mine, int nodes_of_thread) {
    const int self = static_cast<int>(threadIdx.x);
    deep_threads = mine.deep_nodes / (nodes_of_thread * warp) * warp;
    near_threads = static_cast<int>(blockDim.x) - deep_threads;
    is_deep = self < deep_threads;
    const int deep_end = deep_threads * nodes_of_thread;
    first = is_deep ? self : deep_end + self - deep_threads;
    stride = is_deep ? deep_threads : near_threads;
    end = is_deep ? deep_end : mine.bent_nodes();
  }
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
