// SPDX-License-Identifier: MIT
// Substitution by one cluster of blocks, with factors in blocks of 32 x 32.
// Formula: y_k = L_kk^-1 (b_k - sum_(j < k) L_kj y_j), k = 0, 1, ...; x_k = U_kk^-1 (y_k - sum_(j > k) U_kj x_j) from
// the last.
//
// Each warp has some rows of blocks, a row per lane, and keeps what is left of their right-hand side in registers. A
// warp that has found 32 unknowns sends them to all blocks of the cluster, so every block comes to hold all unknowns.
// The factors' blocks are fetched to a ring in shared memory some steps ahead.
#pragma once

#include "solvers/angiogenesis/cuda_tiles.hpp"

namespace reprise::angiogenesis::tiles {
inline namespace REPRISE_CUDA_FLAVOUR {

struct substitution {
  int n, tiles, cluster, warps, stages;
  long long tile_words;         // from one tile of a factor to the next
  const double* lower;          // null if only U x = y is to be solved
  const double* lower_inverse;  // of diagonal blocks
  const double* upper;
  const double* upper_inverse;
  const double* right;   // b, or, without L, the tile that holds y
  const int* origin;     // which row of b comes to row i
  const double* scales;  // of the matrix' columns, null if they are all 1
  double* x;
  cuda::patience patience;

  static std::size_t shared_bytes(int tiles, int warps, int stages, bool with_lower) {
    const auto of_unknowns = static_cast<std::size_t>(tiles * (with_lower ? 2 : 1));
    const std::size_t ring =
        static_cast<std::size_t>(stages) * (block_words * sizeof(double) + sizeof(cuda::mailbox));
    return of_unknowns * (tile * sizeof(double) + sizeof(cuda::mailbox)) +
           static_cast<std::size_t>(warps) * (ring + tile * sizeof(double));
  }
};

// A block's shared memory, as one warp sees it.
struct solve_desk {
  double* unknowns;       // of U x = y, then of L y = b
  double* ring;           // the warp's stages of 32 x 32 values
  double* scratch;        // the warp's 32 values
  cuda::mailbox* boxes;   // of unknowns, one for each 32
  cuda::mailbox* filled;  // of the ring's stages

  __device__ solve_desk(const substitution& s, double* memory) {
    const int all = s.tiles * (s.lower != nullptr ? 2 : 1), of_ring = s.stages * block_words;
    double* const rings = memory + all * tile;
    unknowns = memory;
    ring = rings + warp_index() * of_ring;
    scratch = rings + s.warps * of_ring + warp_index() * tile;
    boxes = reinterpret_cast<cuda::mailbox*>(rings + s.warps * (of_ring + tile));
    filled = boxes + all + warp_index() * s.stages;
  }
};

// The blocks of a factor that a warp fetches ahead, in the order in which it takes them.
struct ring_state {
  int taken_stage{};
  unsigned rounds{};  // how often the ring was taken whole
};

// Both sums run in eight parts, to shorten the chain of additions.
template <class Factor>
__device__ double product_of_32(Factor factor, const double* values) {
  double sum[8] = {};
#pragma unroll
  for (int j = 0; j < tile; j += 2) {
    const double2 f = factor(j), v = pair_at(values + j);
    sum[j % 8] += f.x * v.x;
    sum[j % 8 + 1] += f.y * v.y;
  }
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// One of the two substitutions. Its steps count from 0, the block that is solved for in a step is block_at(step).
template <int rows_of_warp>
class sweep {
 public:
  __device__ sweep(const substitution& system, bool is_down, const solve_desk& desk, const ring_state& ring)
      : s_(system),
        is_down_(is_down),
        desk_(desk),
        factor_(is_down ? s_.lower : s_.upper),
        inverses_(is_down ? s_.lower_inverse : s_.upper_inverse),
        unknowns_(desk.unknowns + (is_down ? s_.tiles * tile : 0)),
        boxes_(desk.boxes + (is_down ? s_.tiles : 0)),
        ring_(ring),
        next_stage_(ring.taken_stage) {
#pragma unroll
    for (int l = 0; l < rows_of_warp; ++l) {
      // In the order in which they are solved for.
      const int turn = (is_down_ ? l : rows_of_warp - 1 - l) * s_.warps + warp_index();
      const int block = static_cast<int>(cuda::rank_in_cluster()) + s_.cluster * turn;
      step_of_[l] = block >= s_.tiles ? -1 : is_down_ ? block : s_.tiles - 1 - block;
      rest[l] = 0;
    }
  }

  // Takes right(i) as right-hand side of row i.
  template <class Right>
  __device__ void take(Right right) {
#pragma unroll
    for (int l = 0; l < rows_of_warp; ++l)
      if (step_of_[l] >= 0) rest[l] = right(block_at(step_of_[l]) * tile + lane_index());
  }

  // Returns the ring as the other substitution finds it: all blocks that were fetched have been taken.
  __device__ ring_state run(double* to) {
    for (int k = 0; k < s_.stages; ++k) fetch_next();
#pragma unroll
    for (int l = 0; l < rows_of_warp; ++l)
      if (step_of_[l] == 0) {
        load_inverse(0);
        find(l, to);
      }
    load_inverse_after(0);
    for (int step = 0; step < last_step(); ++step) {
      cuda::receive(boxes_ + step, 0, s_.patience);
      const double* const known = unknowns_ + block_at(step) * tile;
#pragma unroll
      for (int l = 0; l < rows_of_warp; ++l) {
        if (step_of_[l] <= step) continue;
        subtract(l, known);
        if (step_of_[l] == step + 1) {
          find(l, to);
          load_inverse_after(step + 1);
        }
        fetch_next();  // only now, because others wait for what was found
      }
    }
    return ring_;
  }

  double rest[rows_of_warp];  // of the right-hand sides; in the end the unknowns

 private:
  __device__ int block_at(int step) const {
    return is_down_ ? step : s_.tiles - 1 - step;
  }

  __device__ int last_step() const {
    int last = -1;
#pragma unroll
    for (int l = 0; l < rows_of_warp; ++l) last = max(last, step_of_[l]);
    return last;
  }

  // Loads the inverse of the warp's next diagonal block after this step, a row per lane.
  __device__ void load_inverse_after(int step) {
    int next = s_.tiles;
#pragma unroll
    for (int l = 0; l < rows_of_warp; ++l)
      if (step_of_[l] > step) next = min(next, step_of_[l]);
    if (next < s_.tiles) load_inverse(next);
  }
  __device__ void load_inverse(int step) {
    const double* const from =
        inverses_ + static_cast<long long>(block_at(step)) * block_words + 2 * lane_index();
#pragma unroll
    for (int j = 0; j < tile; j += 2) {
      const double2 v = load_pair(from + j * tile);
      inverse_[j] = v.x;
      inverse_[j + 1] = v.y;
    }
  }

  // Fetches the next block of the factor to the ring: that of the warp's row ahead_row_ in step ahead_step_.
  __device__ void fetch_next() {
    while (ahead_step_ + 1 < s_.tiles) {
      if (ahead_row_ == rows_of_warp) {
        ahead_row_ = 0;
        ++ahead_step_;
        continue;
      }
      int wanted = -1;
#pragma unroll
      for (int l = 0; l < rows_of_warp; ++l)
        if (l == ahead_row_) wanted = step_of_[l];
      ++ahead_row_;
      if (wanted <= ahead_step_) continue;
      if (lane_index() == 0) {
        constexpr unsigned bytes = block_words * sizeof(double);
        cuda::expect(desk_.filled + next_stage_, bytes);
        cuda::fetch(desk_.ring + next_stage_ * block_words,
                    factor_ + block_at(ahead_step_) * s_.tile_words +
                        static_cast<long long>(block_at(wanted)) * block_words,
                    bytes, desk_.filled + next_stage_);
      }
      next_stage_ = next_stage_ + 1 == s_.stages ? 0 : next_stage_ + 1;
      return;
    }
  }

  __device__ void subtract(int l, const double* known) {
    cuda::receive(desk_.filled + ring_.taken_stage, ring_.rounds & 1U, s_.patience);
    const double* const from = desk_.ring + ring_.taken_stage * block_words + 2 * lane_index();
    rest[l] -= product_of_32([&](int j) { return pair_at(from + j * tile); }, known);
    __syncwarp();
    if (++ring_.taken_stage == s_.stages) {
      ring_.taken_stage = 0;
      ++ring_.rounds;
    }
  }

  // Solves for the 32 unknowns of a row of blocks whose right-hand side is complete, and sends them to all blocks.
  __device__ void find(int l, double* to) {
    desk_.scratch[lane_index()] = rest[l];
    __syncwarp();
    const double value = product_of_32(
        [&](int j) {
          return double2{inverse_[j], inverse_[j + 1]};
        },
        desk_.scratch);
    const int step = step_of_[l], at = block_at(step) * tile + lane_index();
    __syncwarp();
    desk_.scratch[lane_index()] = value;
    __syncwarp();
    // In pairs, half of the warp for every other block.
    const int half = lane_index() / 16, pair = 2 * (lane_index() % 16);
    const double2 both = pair_at(desk_.scratch + pair);
    const auto place = cuda::address_of(unknowns_ + block_at(step) * tile + pair);
    const auto box = cuda::address_of(boxes_ + step);
#pragma unroll
    for (int i = 0; i < most_cluster; i += 2)
      cuda::send_if(i + half < s_.cluster, static_cast<unsigned>(i + half), place, both, box);
    if (at < s_.n && to != nullptr) to[at] = s_.scales == nullptr ? value : value * s_.scales[at];
    rest[l] = value;
    __syncwarp();
  }

  const substitution& s_;
  bool is_down_;
  const solve_desk& desk_;
  const double* factor_;
  const double* inverses_;
  double* unknowns_;
  cuda::mailbox* boxes_;
  ring_state ring_;
  int next_stage_, ahead_step_{}, ahead_row_{};
  int step_of_[rows_of_warp];
  double inverse_[tile];
};

template <int rows_of_warp>
__device__ void solve_both(const substitution& s, const solve_desk& desk) {
  sweep<rows_of_warp> down(s, true, desk, {});
  down.take([&](int i) {
    const int from = s.origin[i];
    return from < s.n ? s.right[from] : 0;
  });
  const ring_state ring = down.run(nullptr);
  sweep<rows_of_warp> up(s, false, desk, ring);
  // The same rows of blocks, in the opposite order.
#pragma unroll
  for (int l = 0; l < rows_of_warp; ++l) up.rest[rows_of_warp - 1 - l] = down.rest[l];
  up.run(s.x);
}

template <int rows_of_warp>
__global__ void __launch_bounds__(threads, 1) substitute(const __grid_constant__ substitution s) {
  const solve_desk desk(s, cuda::dynamic_shared<double>());
  const int unknown_boxes = s.tiles * (s.lower != nullptr ? 2 : 1), step = static_cast<int>(blockDim.x);
  if (lane_index() == 0)
    for (int k = 0; k < s.stages; ++k) cuda::open_mailbox(desk.filled + k);
  for (int k = thread_index(); k < unknown_boxes; k += step) cuda::open_mailbox(desk.boxes + k);
  cuda::show_mailboxes();
  __syncthreads();
  for (int k = thread_index(); k < unknown_boxes; k += step)
    cuda::expect(desk.boxes + k, tile * sizeof(double));
  cuda::synchronize_cluster();
  if (s.lower != nullptr) {
    solve_both<rows_of_warp>(s, desk);
  } else {
    sweep<rows_of_warp> up(s, false, desk, {});
    // y is the first column of its tile, which is stored by pairs of columns.
    up.take([&](int i) { return s.right[static_cast<long long>(i / tile) * block_words + 2 * (i % tile)]; });
    up.run(s.x);
  }
  // A block must not end while messages are on their way to it.
  for (int k = thread_index(); k < unknown_boxes; k += step) cuda::receive(desk.boxes + k, 0, s.patience);
  cuda::synchronize_cluster();
}

// What substitution needs of L, once per factorisation: rows where the swaps leave them in the end, blocks by pairs of
// columns, inverted diagonal blocks; and where the rows of b go.
struct arrangement {
  lu_system s;
  double* lower;
  double* lower_inverse;
  int* origin;
};

// at[i]: which row, as numbered after panel t, stands at i in the end.
__device__ inline void follow_moves(const lu_system& s, int t, int* at) {
  for (int i = thread_index(); i < s.order; i += threads) at[i] = i;
  __syncthreads();
  for (int p = t + 1; p < s.tiles; ++p) {
    const int first = p * tile, i = thread_index() % tile;
    int to = -1, row = 0;
    if (thread_index() < tile) {
      to = first + i;
      row = at[__ldcg(&s.moves[p].origin[i])];
    } else if (thread_index() < 2 * tile) {
      to = __ldcg(&s.moves[p].target[i]);
      row = at[first + i];
      if (to < first + tile) to = -1;
    }
    __syncthreads();
    if (to >= 0) at[to] = row;
    __syncthreads();
  }
}

// Inverts L of a diagonal block, by one warp, one column per lane.
__device__ inline void invert_lower(const square& l, double* to) {
  double x[tile];
  const int column = lane_index();
#pragma unroll
  for (int i = 0; i < tile; ++i) x[i] = i == column ? 1 : 0;
#pragma unroll
  for (int q = 0; q < tile; ++q)
#pragma unroll
    for (int i = q + 1; i < tile; ++i) x[i] -= l[i][q] * x[q];
#pragma unroll
  for (int i = 0; i < tile; ++i) to[(column / 2) * 2 * tile + 2 * i + column % 2] = x[i];
}

// Block 0 of the grid does the rows of b, block t the tile t - 1. Dynamic shared memory holds s.order numbers of rows.
__device__ inline void arrange_tile(const arrangement& a) {
  int* const at = cuda::dynamic_shared<int>();
  REPRISE_SHARED_ARRAY(double2, desk_pairs, [tile * stride / 2]);  // as pairs, for their alignment
  square& desk = *reinterpret_cast<square*>(&desk_pairs);
  const lu_system& s = a.s;
  const int t = static_cast<int>(blockIdx.x) - 1;
  follow_moves(s, t, at);
  if (t < 0) {
    for (int i = thread_index(); i < s.order; i += threads) a.origin[i] = at[i];
    return;
  }
  for (int i = t; i < s.tiles; ++i) {
    for (int e = thread_index(); e < block_words / 2; e += threads) {
      const int row = i * tile + e / 16, pair = 2 * (e % 16);
      pair_at(&desk[e / 16][pair]) = load_pair(s.row(t, i == t ? row : at[row]) + pair);
    }
    __syncthreads();
    if (i > t) {
      store_by_pairs(desk, a.lower + (static_cast<long long>(t) * s.order + i * tile) * tile, thread_index(),
                     threads);
    } else if (warp_index() == 0) {
      invert_lower(desk, a.lower_inverse + static_cast<long long>(t) * block_words);
    }
    __syncthreads();
  }
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis::tiles
