// SPDX-License-Identifier: MIT
// Parts of a blocked LU factorisation within one block of threads, with its columns in shared memory: eight
// columns are factorised in registers, and the elimination of eight columns is applied to others.
#pragma once

#include "solvers/common/base/registry.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int warp_lanes = 32;
constexpr int panel_columns = 8;
constexpr int most_threads = 512;
constexpr int most_warps = most_threads / warp_lanes;
constexpr int rows_of_thread = 4;  // with eight values each they fill half of the registers
constexpr int most_tile_columns = 16;
constexpr int most_moves = 2 * panel_columns;

// Says that row `to` gets the content of row `from`. Row -1 means no move.
struct move {
  int to, from;
};

// Data that a block's threads exchange while they factorise or apply a panel. A column's candidates have two
// buffers that alternate, so that one barrier per column is enough.
struct panel_desk {
  unsigned long long magnitude[2][most_warps];
  int row[2][most_warps];
  int origin[2][most_warps + 1];
  // One row per warp; the last is the row that trades places with the pivot's.
  alignas(16) double candidate[2][most_warps + 1][panel_columns];
  alignas(16) double lower[panel_columns][panel_columns];      // the panel's own triangle
  alignas(16) double upper[most_tile_columns][panel_columns];  // the panel's rows of U in the tile, by column
  double floor[panel_columns];                                 // pivots must be larger
  move moves[most_moves];
  int move_count;
};

__device__ inline unsigned largest_of_warp(unsigned value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffU, value);
#else
  for (int distance = warp_lanes / 2; distance > 0; distance /= 2)
    value = max(value, __shfl_xor_sync(0xffffffffU, value, distance));
  return value;
#endif
}

// Finds the largest magnitude in a warp and, of equal ones, the lowest row. The bits of non-negative numbers
// are ordered like integers. A NaN compares as the largest, and is then refused as a pivot.
__device__ inline void find_largest(unsigned long long& magnitude, int& row) {
  const auto high = static_cast<unsigned>(magnitude >> 32U);
  const auto low = static_cast<unsigned>(magnitude);
  const unsigned top = largest_of_warp(high);
  const unsigned bottom = largest_of_warp(high == top ? low : 0);
  const bool is_largest = high == top && low == bottom;
  row = static_cast<int>(~largest_of_warp(is_largest ? ~static_cast<unsigned>(row) : 0));
  magnitude = static_cast<unsigned long long>(top) << 32U | bottom;
}

__device__ inline unsigned long long magnitude_of(double value) {
  return static_cast<unsigned long long>(__double_as_longlong(value)) & 0x7fffffffffffffffULL;
}

// The rows of one thread among rows first ... rows - 1, with eight values each: rows
// first + thread + r * threads. Rows beyond the last hold zeros.
struct panel_rows {
  double a[rows_of_thread][panel_columns];
  int origin[rows_of_thread];
  int first, rows;

  __device__ panel_rows(int first_row, int row_count) : first(first_row), rows(row_count) {}

  __device__ int row(int r) const { return first + static_cast<int>(threadIdx.x + r * blockDim.x); }
  __device__ bool has(int r) const { return row(r) < rows; }

  // Reads the rows. `from` points to row 0 of the first of the eight columns.
  __device__ void load(const double* from, int column_stride) {
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      origin[r] = row(r);
#pragma unroll
      for (int c = 0; c < panel_columns; ++c)
        a[r][c] = has(r) ? from[static_cast<long long>(c) * column_stride + row(r)] : 0;
    }
  }

  // Same as load(), but reads data that other blocks have written during this launch.
  __device__ void receive(const double* from, int column_stride) {
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r)
#pragma unroll
      for (int c = 0; c < panel_columns; ++c)
        a[r][c] = has(r) ? __ldcg(from + static_cast<long long>(c) * column_stride + row(r)) : 0;
  }

  __device__ void store(double* to, int column_stride) const {
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r)
#pragma unroll
      for (int c = 0; c < panel_columns; ++c)
        if (has(r)) to[static_cast<long long>(c) * column_stride + row(r)] = a[r][c];
  }

  // The thread's best pivot for column c among rows that are not finished.
  template <int c>
  __device__ void propose(unsigned long long& magnitude, int& best) const {
    magnitude = 0;
    best = 0x7fffffff;
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      const bool is_done = r == 0 && static_cast<int>(threadIdx.x) < c;
      const unsigned long long here = magnitude_of(a[r][c]);
      if (has(r) && !is_done && (here > magnitude || best == 0x7fffffff)) {
        magnitude = here;
        best = row(r);
      }
    }
  }

  __device__ void write_row(int which, double* values, int& from) const {
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r)
      if (row(r) == which) {
#pragma unroll
        for (int c = 0; c < panel_columns; ++c) values[c] = a[r][c];
        from = origin[r];
      }
  }

  __device__ void read_row(int which, const double* values, int from) {
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r)
      if (row(r) == which) {
#pragma unroll
        for (int c = 0; c < panel_columns; ++c) a[r][c] = values[c];
        origin[r] = from;
      }
  }

  // Eliminates one column: pivot, swap, multipliers, and the rest of the panel. Returns
  // the pivot and counts a swap.
  template <int c>
  __device__ double eliminate(panel_desk& desk, int& swaps) {
    constexpr int turn = c & 1;
    const int k = first + c;
    const int self = static_cast<int>(threadIdx.x) / warp_lanes;
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    unsigned long long magnitude;
    int best;
    propose<c>(magnitude, best);
    find_largest(magnitude, best);
    if (lane == 0) {
      desk.magnitude[turn][self] = magnitude;
      desk.row[turn][self] = best;
    }
    write_row(best, desk.candidate[turn][self], desk.origin[turn][self]);
    write_row(k, desk.candidate[turn][most_warps], desk.origin[turn][most_warps]);
    __syncthreads();
    const bool is_warp = lane < static_cast<int>(blockDim.x) / warp_lanes;
    magnitude = is_warp ? desk.magnitude[turn][lane] : 0;
    best = is_warp ? desk.row[turn][lane] : 0x7fffffff;
    find_largest(magnitude, best);
    const int winner = (best - first) % static_cast<int>(blockDim.x) / warp_lanes;
    const double* const pivot_row = desk.candidate[turn][winner];
    if (best != k) {
      read_row(best, desk.candidate[turn][most_warps], desk.origin[turn][most_warps]);
      read_row(k, pivot_row, desk.origin[turn][winner]);
      ++swaps;
    }
    const double inverse = 1 / pivot_row[c];
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      if (r == 0 && static_cast<int>(threadIdx.x) <= c) continue;
      a[r][c] *= inverse;
#pragma unroll
      for (int j = c + 1; j < panel_columns; ++j) a[r][j] -= a[r][c] * pivot_row[j];
    }
    return pivot_row[c];
  }
};

// The block's columns in shared memory. The stride is odd to avoid bank conflicts along a row.
struct shared_tile {
  double* values;
  int rows, columns;

  __device__ int stride() const { return rows | 1; }
  __device__ double* column(int c) const { return values + c * stride(); }
};

// Applies all row moves of a panel at once. Each thread handles one move, m = thread
// % most_moves, in one column.
__device__ inline void move_rows(const shared_tile& tile, int first_column, move mine) {
  const int c = first_column + static_cast<int>(threadIdx.x) / most_moves;
  const bool moves_one = c < tile.columns && mine.to >= 0;
  double value = 0;
  if (moves_one) value = tile.column(c)[mine.from];
  __syncthreads();
  if (moves_one) tile.column(c)[mine.to] = value;
  __syncthreads();
}

// Computes the panel's rows of U in columns first_column ... from its triangle, one thread per column. The
// rows are stored in the tile, on the desk and, unless it is null, in `out`.
__device__ inline void solve_upper(const shared_tile& tile, int first_column, int first_row, panel_desk& desk,
                                   double* out, int out_stride) {
  const int c = first_column + static_cast<int>(threadIdx.x);
  if (c >= tile.columns) return;
  double* const x = tile.column(c) + first_row;
  double u[panel_columns];
#pragma unroll
  for (int q = 0; q < panel_columns; ++q) u[q] = x[q];
#pragma unroll
  for (int q = 0; q < panel_columns; ++q)
#pragma unroll
    for (int i = q + 1; i < panel_columns; ++i) u[i] -= desk.lower[i][q] * u[q];
#pragma unroll
  for (int q = 0; q < panel_columns; ++q) {
    x[q] = desk.upper[c][q] = u[q];
    if (out != nullptr) out[static_cast<long long>(c) * out_stride + first_row + q] = u[q];
  }
}

// Subtracts the panel's multipliers times its rows of U from the rows below its triangle.
__device__ inline void subtract(const shared_tile& tile, int first_column, const panel_rows& panel,
                                const panel_desk& desk) {
  for (int c = first_column; c < tile.columns; ++c) {
    double* const column = tile.column(c);
    double u[panel_columns];
#pragma unroll
    for (int q = 0; q < panel_columns; ++q) u[q] = desk.upper[c][q];
#pragma unroll
    for (int r = 0; r < rows_of_thread; ++r) {
      if (!panel.has(r) || (r == 0 && static_cast<int>(threadIdx.x) < panel_columns)) continue;
      double sum = column[panel.row(r)];
#pragma unroll
      for (int q = 0; q < panel_columns; ++q) sum -= panel.a[r][q] * u[q];
      column[panel.row(r)] = sum;
    }
  }
}

// Bytes of shared memory that the panels take: each is subtracted from the rows below it in the columns behind it, or from
// the right-hand side alone. A value is read and written, and a warp reads eight shared values for up to four rows of a
// thread.
inline double shared_bytes_of_panels(double n, bool factorises) {
  constexpr double of_shared_values = panel_columns / 2 * shared_transfer_bytes / warp_lanes / rows_of_thread;
  const double values = factorises ? n * n * n / 3 / panel_columns : n * n / 2 / panel_columns;
  return values * (2 * sizeof(double) + of_shared_values);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
