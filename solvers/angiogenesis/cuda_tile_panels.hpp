// SPDX-License-Identifier: MIT
// One cluster of blocks factorises all panels of 32 columns of a matrix, one after the other.
//
// The rows of a panel are dealt out to the blocks in turn, and each thread holds 32 values of one or two rows in
// registers. Within a panel no row moves: a thread knows at which position its row stands, and the row of a pivot is
// left alone. A column takes the best row of each thread, warp, block and cluster. The blocks send their best rows to
// each other, so that all find the same pivot and have its row at hand. The 32 values move left by one register per
// column, with the multiplier appended on the right, so the code of one column serves all of them.
//
// Half of a block's threads have rows. Of the other warps two write finished panels to global memory, one announces
// them when that is visible everywhere, and one brings the next tile's rows meanwhile. A block's threads meet at these
// barriers, in this order for panel p:
//
//   desk_is_free     rows, publishers, fetcher: rows have taken what the desk held of panel p, panel p - 1 is published
//   rows_only        rows: columns, and steps of the way to the next panel
//   panel_is_done    rows, publishers: multipliers, positions and pivots of panel p are on the desk
//   panel_is_written publishers, announcer: panel p is in global memory
//   tile_is_here     rows, fetcher: the rows of tile p + 1 are on the desk
//
// So the fetcher's copies into `right` for panel p + 1 begin after desk_is_free(p + 1), to which the rows come after
// their last access to `right` for panel p; and the rows touch `right` after tile_is_here(p + 1), to which the fetcher
// comes when its copies are complete. (compute-sanitizer's racecheck does not follow barriers of some threads in
// clusters of 4 and more, and reports these accesses in some runs. The emulation checks their order.)
// Another block writes `lower`, `upper` and `arrived` only after messages that this block sends when its own threads
// have read what was there: each panel has at least one column of the matrix, whose exchange every block takes part in.
#pragma once

#include "solvers/angiogenesis/cuda_tiles.hpp"

namespace reprise::angiogenesis::tiles {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int row_threads = 128;
constexpr int row_warps = row_threads / lanes;
constexpr int publishers = 64;
constexpr int announcers = lanes;
constexpr int fetchers = lanes;
static_assert(row_threads + publishers + announcers + fetchers == threads);
constexpr int most_rows_of_thread = 2;
constexpr int most_slots = row_threads * most_rows_of_thread;  // rows of a block

enum meeting { everybody, rows_only, panel_is_written, panel_is_done, tile_is_here, desk_is_free };
constexpr int at_panel_is_written = publishers + announcers;
constexpr int at_panel_is_done = row_threads + publishers;
constexpr int at_tile_is_here = row_threads + fetchers;
constexpr int at_desk_is_free = row_threads + publishers + fetchers;

// What is said of a candidate for pivot.
struct alignas(16) header {
  double inverse;
  unsigned long long magnitude;  // as for best_lane()
  int position;
  int start;  // position when the panel began
  int slot;   // which of the block's rows
  int rank;   // which block's
};
struct alignas(16) candidate {
  header about;
  double row[tile];  // zero behind the panel's last column
};

struct alignas(16) chosen_pivot {
  int position, start, slot, rank;
};

// A block's shared memory.
struct panel_desk {
  double left[most_slots][stride];   // multipliers of the panel's rows
  double right[most_slots][stride];  // the same rows of the next tile
  square diagonal;                   // the panel's diagonal block: U
  square lower;                      // the same: L, in whole rows
  square upper[2];                   // the next tile's rows of U beside it; of panels in turn
  candidate best[2][row_warps];      // of each warp; of columns in turn, as the next four
  alignas(16) unsigned long long magnitude[2][row_warps];
  alignas(16) int position[2][row_warps];
  candidate arrived[2][most_cluster];
  cuda::mailbox box[2];     // of arrived
  cuda::mailbox lower_box;  // of lower
  cuda::mailbox raw_box;    // of the next tile's rows for the pivots, which arrive in `upper`
  chosen_pivot pivots[tile];
  int target[tile];          // where rows 32 p ... have gone, if they are this block's; else -1
  int where[2][most_slots];  // positions when a panel is done; of panels in turn
};

// Limits pivots to magnitudes whose rough inverse is usable, as floors do from below.
constexpr double largest_pivot = 0x1p1020;

// Whether b is a better pivot than a. Without branches, because every column waits for this.
__device__ inline bool is_better(unsigned long long a, int a_position, unsigned long long b, int b_position) {
  return (b > a) | ((b == a) & (b_position < a_position));
}

// The threads that have rows.
template <int rows_of_thread>
class panel_maker {
 public:
  __device__ panel_maker(const lu_system& system, panel_desk& desk, int rank)
      : s_(system), d_(desk), rank_(rank) {}

  __device__ void run() {
    begin();
    for (int p = 0; p < s_.tiles; ++p) {
      const int first = p * tile;
      cuda::meet<desk_is_free, at_desk_is_free>();
#pragma unroll 1
      for (int c = 0; c < tile; ++c) {
        if (first + c < s_.n) {
          eliminate(c, first + c);
        } else {
          skip(c, first + c);
        }
      }
#pragma unroll
      for (int r = 0; r < rows_of_thread; ++r) {
        if (start_[r] >= first && start_[r] < first + tile) d_.target[start_[r] - first] = position_[r];
        d_.where[p % 2][slot(r)] = position_[r];
      }
      cuda::meet<rows_only, row_threads>();
      spread(d_.left, d_.lower, &d_.lower_box, p);
      cuda::meet<panel_is_done, at_panel_is_done>();
      if (p + 1 < s_.tiles) advance(p);
    }
    // A block must not end while messages are on their way to it.
    if (s_.cluster > 1) cuda::receive(&d_.lower_box, static_cast<unsigned>(s_.tiles - 1) & 1U, s_.patience);
  }

 private:
  __device__ static int slot(int r) {
    return thread_index() + r * row_threads;
  }

  __device__ void begin() {
    const int half = lane_index() / 16, pair = 2 * (lane_index() % 16);
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      const int row = slot(r) * s_.cluster + rank_;
      position_[r] = start_[r] = row < s_.order ? row : -1;
      d_.where[1][slot(r)] = position_[r];
      // The warp copies its rows of tile 0, half a warp each.
#pragma unroll 4
      for (int i = half; i < lanes; i += 2) {
        const int from = __shfl_sync(all_lanes, start_[r], i);
        if (from < 0) continue;
        double* const to = &d_.right[r * row_threads + warp_index() * lanes + i][pair];
        cuda::copy_async(&pair_at(to), &pair_at(s_.row(0, from) + pair));
      }
    }
    cuda::close_copies();
    cuda::wait_for_copies<0>();
    __syncwarp();
    take();
  }

  // Takes the thread's rows from the desk; also those that are finished, which nothing looks at again.
  __device__ void take() {
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r)
#pragma unroll
      for (int j = 0; j < tile; j += 2) {
        const double2 v = pair_at(&d_.right[slot(r)][j]);
        a_[r][j] = v.x;
        a_[r][j + 1] = v.y;
      }
  }

  // 0 for rows that are finished.
  __device__ unsigned long long magnitude_of(int r, int k) const {
    const auto bits = static_cast<unsigned long long>(__double_as_longlong(a_[r][0])) & 0x7fffffffffffffffULL;
    return position_[r] >= k ? bits + (1ULL << 32U) : 0;
  }

  // Finds the best row for column k, the panel's column c.
  __device__ const candidate& find_pivot(int c, int k) {
    const int turn = k & 1;
    int best = 0, best_position = position_[0], best_start = start_[0];
    double value = a_[0][0];
    unsigned long long magnitude = magnitude_of(0, k);
#pragma unroll
    for (int r = 1; r < rows_of_thread; ++r) {
      const unsigned long long here = magnitude_of(r, k);
      if (is_better(magnitude, best_position, here, position_[r])) {
        magnitude = here;
        best = r;
        best_position = position_[r];
        best_start = start_[r];
        value = a_[r][0];
      }
    }
    const double inverse = cuda::quick_inverse(value);
    const bool is_best = lane_index() == best_lane(magnitude, best_position);
    candidate& out = d_.best[turn][warp_index()];
    write_row(out, c, is_best, best);
    if (is_best) {
      d_.magnitude[turn][warp_index()] = magnitude;
      d_.position[turn][warp_index()] = best_position;
      out.about = {inverse, magnitude, best_position, best_start, slot(best), rank_};
    }
    cuda::meet<rows_only, row_threads>();
    const candidate& ours = d_.best[turn][best_warp(turn)];
    return s_.cluster == 1 ? ours : exchange(ours, c, k);
  }

  // Writes one of the thread's rows, if it is the warp's best, in chunks of 8 columns: what there is of it, and zeros
  // over the two columns that were there two columns ago.
  __device__ void write_row(candidate& out, int c, bool is_best, int which) {
    constexpr int chunk = 8;
#pragma unroll
    for (int j0 = 0; j0 < tile; j0 += chunk) {
      if (j0 >= tile - c + 2) break;
#pragma unroll
      for (int j = j0; j < j0 + chunk; j += 2)
#pragma unroll
        for (int r = 0; r < rows_of_thread; ++r)
          cuda::store_shared_if(is_best && which == r, &out.row[j], a_[r][j], a_[r][j + 1]);
    }
  }

  __device__ int best_warp(int turn) const {
    static_assert(row_warps == 4);
    const auto* const m = reinterpret_cast<const ulonglong2*>(d_.magnitude[turn]);
    const ulonglong2 low = m[0], high = m[1];
    const int4 at = *reinterpret_cast<const int4*>(d_.position[turn]);
    const bool is_1 = is_better(low.x, at.x, low.y, at.y), is_3 = is_better(high.x, at.z, high.y, at.w);
    const bool is_later =
        is_better(is_1 ? low.y : low.x, is_1 ? at.y : at.x, is_3 ? high.y : high.x, is_3 ? at.w : at.z);
    return is_later ? (is_3 ? 3 : 2) : (is_1 ? 1 : 0);
  }

  // Sends the block's best candidate to all blocks of the cluster, and finds the best of theirs.
  __device__ const candidate& exchange(const candidate& ours, int c, int k) {
    const int turn = k & 1, lane = lane_index();
    // As much of the row as write_row() has written.
    const int pairs = static_cast<int>(sizeof(header) / 16) + min(tile / 2, (tile + 1 - c) / 2 + 1);
    const double2 value = reinterpret_cast<const double2*>(&ours)[min(lane, pairs - 1)];
    const auto to = cuda::address_of(reinterpret_cast<double2*>(&d_.arrived[turn][rank_]) + lane);
    const auto box = cuda::address_of(&d_.box[turn]);
#pragma unroll
    for (int i = 0; i < most_cluster; i += row_warps) {
      if (i == row_warps && s_.cluster <= row_warps) break;
      const int block = i + warp_index();
      cuda::send_if(lane < pairs && block < s_.cluster, static_cast<unsigned>(block), to, value, box);
    }
    if (thread_index() == 0) cuda::expect(&d_.box[turn], static_cast<unsigned>(s_.cluster * 16 * pairs));
    cuda::receive(&d_.box[turn], static_cast<unsigned>(k >> 1) & 1U, s_.patience);
    const bool is_block = lane < s_.cluster;
    const header& look = d_.arrived[turn][is_block ? lane : 0].about;
    return d_.arrived[turn][best_lane(is_block ? look.magnitude : 0, look.position)];
  }

  __device__ void eliminate(int c, int k) {
    const candidate& pivot = find_pivot(c, k);
    const header about = pivot.about;
    double factor[rows_of_thread];
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      const bool is_below = (position_[r] >= k) & (position_[r] != about.position);
      factor[r] = is_below ? a_[r][0] * about.inverse : 0;
      if (is_below) d_.left[slot(r)][c] = factor[r];
      position_[r] = position_[r] == about.position ? k : position_[r] == k ? about.position : position_[r];
    }
    // Takes all columns, also those that hold zeros by now: a branch would cost moves of whole rows between registers.
#pragma unroll
    for (int j = 0; j < tile; j += 2) {
      const double2 u = pair_at(&pivot.row[j]);
#pragma unroll
      for (int r = 0; r < rows_of_thread; ++r) {
        if (j > 0) a_[r][j - 1] = a_[r][j] - factor[r] * u.x;
        a_[r][j] = a_[r][j + 1] - factor[r] * u.y;
      }
    }
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) a_[r][tile - 1] = 0;
    if (rank_ == 0 && warp_index() == c % row_warps && lane_index() < tile - c)
      d_.diagonal[c][c + lane_index()] = pivot.row[lane_index()];
    if (thread_index() == 0) d_.pivots[c] = {about.position, about.start, about.slot, about.rank};
  }

  // A column beyond the matrix, where the identity stands: its pivot is on the diagonal.
  __device__ void skip(int c, int k) {
    cuda::meet<rows_only, row_threads>();
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      if (position_[r] > k) d_.left[slot(r)][c] = 0;
#pragma unroll
      for (int j = 0; j + 1 < tile; ++j) a_[r][j] = a_[r][j + 1];
      a_[r][tile - 1] = 0;
    }
    if (warp_index() != 0) return;
    d_.diagonal[c][lane_index()] = lane_index() == c ? 1 : 0;
    d_.lower[c][lane_index()] = 0;
    if (lane_index() == 0) d_.pivots[c] = {k, k, 0, -1};
  }

  // Sends the rows of the panel's pivots, each of which one block has, to all blocks. `box` counts them.
  __device__ void spread(const double (*rows)[stride], square& to, cuda::mailbox* box, int p) {
    const int half = lane_index() / 16, pair = 2 * (lane_index() % 16), real = min(tile, s_.n - p * tile);
    if (thread_index() == 0 && s_.cluster > 1)
      cuda::expect(box, static_cast<unsigned>(real) * tile * static_cast<unsigned>(sizeof(double)));
    for (int c = warp_index(); c < real; c += row_warps) {
      const chosen_pivot pivot = d_.pivots[c];
      if (pivot.rank != rank_) continue;
      const double2 value = pair_at(&rows[pivot.slot][pair]);
      if (s_.cluster == 1) {
        if (half == 0) pair_at(&to[c][pair]) = value;
        continue;
      }
      for (int block = half; block < s_.cluster; block += 2)
        cuda::send_if(true, static_cast<unsigned>(block), cuda::address_of(&to[c][pair]), value,
                      cuda::address_of(box));
    }
  }

  // Applies panel p to the next tile's rows, which become the thread's own.
  __device__ void advance(int p) {
    square& upper = d_.upper[p % 2];
    cuda::meet<tile_is_here, at_tile_is_here>();
    spread(d_.right, upper, &d_.raw_box, p);
    if (s_.cluster > 1) {
      cuda::receive(&d_.lower_box, static_cast<unsigned>(p) & 1U, s_.patience);
      cuda::receive(&d_.raw_box, static_cast<unsigned>(p) & 1U, s_.patience);
    } else {
      cuda::meet<rows_only, row_threads>();
    }
    solve_lower<rows_only, row_threads>(d_.lower, upper);
    const upper_fragments u(upper);
    const int next = (p + 1) * tile;
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r)
      if (__any_sync(all_lanes, position_[r] >= next)) subtract_rows(r, u);
    __syncwarp();
    take();
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) start_[r] = position_[r];
  }

  // Subtracts from the warp's 32 rows on the desk.
  __device__ void subtract_rows(int r, const upper_fragments& u) {
    const int row = r * row_threads + warp_index() * lanes + lane_index() / 4,
              column = 2 * (lane_index() % 4);
#pragma unroll
    for (int i = 0; i < lanes; i += 8) {
      double* const right = d_.right[row + i];
      const double* const left = d_.left[row + i];
      eight_rows l, c;
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        l[q] = pair_at(left + 8 * q + column);
        c[q] = pair_at(right + 8 * q + column);
      }
      subtract_8_rows(c, l, u);
#pragma unroll
      for (int q = 0; q < 4; ++q) pair_at(right + 8 * q + column) = c[q];
    }
  }

  const lu_system& s_;
  panel_desk& d_;
  int rank_;
  double a_[rows_of_thread][tile];
  int position_[rows_of_thread], start_[rows_of_thread];
};

// Writes finished panels to global memory.
template <int rows_of_thread>
class panel_publisher {
 public:
  __device__ panel_publisher(const lu_system& system, panel_desk& desk, int rank)
      : s_(system), d_(desk), rank_(rank), self_(thread_index() - row_threads) {}

  __device__ void run() {
    for (int p = 0; p < s_.tiles; ++p) {
      cuda::meet<desk_is_free, at_desk_is_free>();
      cuda::meet<panel_is_done, at_panel_is_done>();
      write_multipliers(p);
      if (rank_ == 0) write_diagonal(p);
      // Each block knows of its own rows.
      if (self_ < tile) {
        const int to = d_.target[self_];
        if (to >= 0) s_.moves[p].target[self_] = to;
        d_.target[self_] = -1;
      }
      cuda::meet<panel_is_written, at_panel_is_written>();
    }
    if (rank_ == 0 && self_ == 0) s_.report[swap_count] = swaps_;
  }

 private:
  __device__ void write_multipliers(int p) {
    const int group = self_ / 16, pair = 2 * (self_ % 16);
#pragma unroll 8
    for (int slot = group; slot < rows_of_thread * row_threads; slot += publishers / 16) {
      const int to = d_.where[p % 2][slot];
      if (to >= (p + 1) * tile) store_pair(s_.row(p, to) + pair, pair_at(&d_.left[slot][pair]));
    }
  }

  // Writes L and U of the diagonal block, the block of U above it, and where the pivots came from.
  __device__ void write_diagonal(int p) {
    const int first = p * tile;
    if (s_.cluster > 1) cuda::receive(&d_.lower_box, static_cast<unsigned>(p) & 1U, s_.patience);
    for (int e = self_; e < block_words; e += publishers) {
      const int i = e / tile, j = e % tile;
      __stcg(s_.row(p, first) + e, j < i ? d_.lower[i][j] : d_.diagonal[i][j]);
    }
    // All blocks have read this tile's rows of the preceding panel, so they may become those of U.
    if (p > 0) store_by_pairs(d_.upper[(p - 1) % 2], s_.row(p, first - tile), self_, publishers);
    if (self_ >= tile) return;
    s_.moves[p].origin[self_] = d_.pivots[self_].start;
    swaps_ += __popc(__ballot_sync(all_lanes, d_.pivots[self_].position != first + self_));
    // Written so that NaN is not accepted as a pivot.
    const double size = fabs(d_.diagonal[self_][self_]);
    const bool is_pivot = size > s_.floors[first + self_] && size <= largest_pivot;
    if (!is_pivot) atomicMin(&s_.report[bad_column], first + self_);
  }

  const lu_system& s_;
  panel_desk& d_;
  int rank_, self_;
  int swaps_{};
};

// Making writes visible to all blocks takes long, so it is done by a warp that nobody waits for.
__device__ inline void announce_panels(const lu_system& s) {
  for (int p = 0; p < s.tiles; ++p) {
    cuda::meet<panel_is_written, at_panel_is_written>();
    if (lane_index() == 0) cuda::add_release(s.panel_done + p, 1);
    __syncwarp();
  }
}

// Brings the next tile's rows while a panel is made, in the order in which they stand as it begins.
template <int rows_of_thread>
__device__ void fetch_tiles(const lu_system& s, panel_desk& d) {
  const int half = lane_index() / 16, pair = 2 * (lane_index() % 16);
  for (int p = 0; p < s.tiles; ++p) {
    cuda::meet<desk_is_free, at_desk_is_free>();
    if (p + 1 == s.tiles) break;
    if (p > 0 && lane_index() == 0) wait_for(s.ready + p + 1, 1, s.patience);
    __syncwarp();
#pragma unroll 4
    for (int slot = half; slot < rows_of_thread * row_threads; slot += 2) {
      const int from = d.where[(p + 1) % 2][slot];
      if (from >= p * tile)
        cuda::copy_async(&pair_at(&d.right[slot][pair]), &pair_at(s.row(p + 1, from) + pair));
    }
    cuda::close_copies();
    cuda::wait_for_copies<0>();
    __syncwarp();
    cuda::meet<tile_is_here, at_tile_is_here>();
  }
}

template <int rows_of_thread>
__device__ void make_panels(const lu_system& s, panel_desk& d) {
  const int rank = s.cluster > 1 ? static_cast<int>(cuda::rank_in_cluster()) : 0;
  if (thread_index() == 0) {
    for (cuda::mailbox* box : {&d.box[0], &d.box[1], &d.lower_box, &d.raw_box}) cuda::open_mailbox(box);
    cuda::show_mailboxes();
  }
  if (thread_index() < tile) d.target[thread_index()] = -1;
  __syncthreads();
  if (s.cluster > 1) cuda::synchronize_cluster();
  if (thread_index() < row_threads) {
    panel_maker<rows_of_thread>(s, d, rank).run();
  } else if (thread_index() < row_threads + publishers) {
    panel_publisher<rows_of_thread>(s, d, rank).run();
  } else if (thread_index() < row_threads + publishers + announcers) {
    announce_panels(s);
  } else {
    fetch_tiles<rows_of_thread>(s, d);
  }
  __syncthreads();
  if (s.cluster > 1) cuda::synchronize_cluster();
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis::tiles
