// SPDX-License-Identifier: MIT
// A stage of the mean-curvature flow on a large grid: each warp traverses a strip of 62 columns from south to
// north, with two columns per lane and three rows in registers.
//
// Each edge's flux is computed once: the northern flux is the southern one of the next row, and the
// eastern flux is also used by the node to the east. The values of a row are copied to shared memory two
// rows ahead; each lane reads only its own copies. Rows begin at a multiple of 128 bytes, so that both
// columns of a lane are read at once.
#pragma once

#include "solvers/curvature/cuda_attempt.hpp"
#include "solvers/curvature/cuda_stencil.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int warp = 32;
constexpr int warps_of_block = 4;
constexpr int blocks_resident = 5;  // on a multiprocessor
constexpr int lane_columns = 2;
constexpr int strip_columns = warp * lane_columns - 2;  // the outer two only serve their neighbours
constexpr int rows_held = 4;                            // two in use and two being copied

// In which order warps take strips. Strips above each other share rows, which a multiprocessor's cache has if they are passed
// together. Where values come from memory, rows that are read from one end to the other are worth more.
enum class strip_order { up_columns, along_rows };

// How a surface is cut into strips.
struct strip_cut {
  int rows;  // of a strip
  strip_order order;
  unsigned in_line;            // strips of a column or of a row
  unsigned long long inverse;  // 2^32 / in_line, rounded up

  strip_cut(int rows_of_strip, strip_order by, unsigned strips)
      : rows(rows_of_strip), order(by), in_line(strips), inverse(((1ULL << 32) + strips - 1) / strips) {}

  // number / in_line by a product, which is faster. It is right or, for large numbers, too large by one.
  __host__ __device__ unsigned line_of(unsigned number) const {
    const auto quotient = static_cast<unsigned>(number * inverse >> 32);
    return quotient * static_cast<unsigned long long>(in_line) > number ? quotient - 1 : quotient;
  }
};

// A warp's strip.
struct strip_place {
  int column, row;

  __device__ explicit strip_place(const strip_cut& cut) {
    const unsigned number = blockIdx.x * warps_of_block + threadIdx.y;
    const unsigned line = cut.line_of(number);
    const unsigned in_line = number - line * cut.in_line;
    const bool is_up = cut.order == strip_order::up_columns;
    column = static_cast<int>(is_up ? line : in_line);
    row = static_cast<int>(is_up ? in_line : line);
  }
};

template <class Real>
struct alignas(lane_columns * sizeof(Real)) columns_of {
  Real v[lane_columns];
};

// A lane's part of a row: its own columns and their neighbours.
template <class Real>
struct window {
  Real v[lane_columns + 2];
};

template <class Real>
__device__ window<Real> with_neighbours(const columns_of<Real>& own) {
  window<Real> row;
  row.v[0] = __shfl_up_sync(0xffffffffU, own.v[lane_columns - 1], 1);
#pragma unroll
  for (int c = 0; c < lane_columns; ++c) row.v[c + 1] = own.v[c];
  row.v[lane_columns + 1] = __shfl_down_sync(0xffffffffU, own.v[0], 1);
  return row;
}

template <class Real>
struct edges_of {
  edge<Real> v[lane_columns];
};

template <class Real>
__device__ edges_of<Real> northern_edges(const window<Real>& south, const window<Real>& north,
                                         inverse_steps<Real> ih) {
  edges_of<Real> all;
#pragma unroll
  for (int c = 0; c < lane_columns; ++c)
    all.v[c] = edge_of((north.v[c + 1] - south.v[c + 1]) * ih.y,
                       (south.v[c + 2] - south.v[c] + north.v[c + 2] - north.v[c]) * (Real(.25) * ih.x));
  return all;
}

// A lane's columns of a strip, with functions to read and write them.
template <class Real, boundary at_border, int stage>
struct strip_lane {
  const fields<Real>& f;
  inputs<Real> in;
  columns_of<Real>* ring;
  int i;                   // its first column
  bool own[lane_columns];  // computed here, not for a neighbour
  bool has_border;

  __device__ strip_lane(const fields<Real>& all, const inputs<Real>& given, columns_of<Real>* shared,
                        int strip_column)
      : f(all), in(given), ring(shared + threadIdx.y * (rows_held * parts * warp) + threadIdx.x) {
    const int lane = static_cast<int>(threadIdx.x);
    i = strip_column * strip_columns + lane * lane_columns;
#pragma unroll
    for (int n = 0; n < lane_columns; ++n) {
      const int column = lane * lane_columns + n;
      own[n] = column > 0 && column <= strip_columns && i + n < f.nx - 1;
    }
    has_border = i == 0 || (i < f.nx && i + lane_columns >= f.nx);
    i = min(i, f.pitch - lane_columns);  // stays inside the allocated row
  }

  static constexpr int parts = ingredients_of<stage>;

  __device__ int row_of(int j) const {
    return at_border == boundary::neumann ? min(max(j, 1), f.ny - 2) : j;
  }

  // Where the values of a row are stored; each lane has its own.
  __device__ columns_of<Real>* held(int slot, int n) const {
    return ring + ((slot & (rows_held - 1)) * parts + n) * warp;
  }

  // Starts one group of copies, which is empty if the strip does not need the row.
  __device__ void request(int slot, int j, int last) const {
    if (j <= last) {
      const int offset = f.place(i, row_of(j));
#pragma unroll
      for (int n = 0; n < parts; ++n)
        cuda::copy_async(held(slot, n), reinterpret_cast<const columns_of<Real>*>(
                                            ingredient<stage>(f, in.current, n) + offset));
    }
    cuda::close_copies();
  }

  __device__ ingredients<Real> column(int slot, int n) const {
    ingredients<Real> at{held(slot, 0)->v[n], {}};
#pragma unroll
    for (int m = 1; m < parts; ++m) at.k[m - 1] = held(slot, m)->v[n];
    return at;
  }

  // Forms the argument in row j, whose values must have arrived.
  __device__ window<Real> argue(int slot, int j) const {
    columns_of<Real> a;
#pragma unroll
    for (int n = 0; n < lane_columns; ++n) a.v[n] = argument<stage>(column(slot, n), in.tau);
    const bool is_border_row = at_border == boundary::manufactured && (j == 0 || j == f.ny - 1);
    if (at_border != boundary::dirichlet && (has_border || is_border_row)) impose_border(a, j);
    return with_neighbours(a);
  }

  __device__ void impose_border(columns_of<Real>& a, int j) const {
#pragma unroll
    for (int n = 0; n < lane_columns; ++n) {
      const bool is_border_column = i + n == 0 || i + n == f.nx - 1;
      if (at_border == boundary::manufactured && (is_border_column || j == 0 || j == f.ny - 1))
        a.v[n] = in.at.c * f.zeta_x[min(i + n, f.nx - 1)].d[0] * f.zeta_y[j].d[0];
      // A border column has the value of its inner neighbour, which another lane may hold.
      if (at_border == boundary::neumann && is_border_column) {
        const int inner = i + n == 0 ? 1 : f.nx - 2;
        a.v[n] = argument<stage>(fetch<stage>(f, in.current, f.place(inner, row_of(j))), in.tau);
      }
    }
  }

  // Stores the results of row j. In the last stage, returns the error's bits.
  __device__ unsigned long long write(int slot, int j, const Real* rate) const {
    columns_of<Real> out;
    unsigned long long error_bits = 0;
#pragma unroll
    for (int n = 0; n < lane_columns; ++n) {
      out.v[n] = rate[n];
      if constexpr (stage == 4) {
        const ingredients<Real> at = column(slot, n);
        out.v[n] = advanced(at, in.tau, rate[n]);
        if (own[n]) error_bits = larger(error_bits, bits_of(error_at(at.k[0], at.k[1], at.k[2], rate[n])));
      }
    }
    Real* const to = result_of<stage>(f, in.current) + f.place(i, j);
    if (own[0] && own[1]) {
      *reinterpret_cast<columns_of<Real>*>(to) = out;
    } else if (own[0]) {
      to[0] = out.v[0];
    } else if (own[1]) {
      to[1] = out.v[1];
    }
    return error_bits;
  }
};

template <class Real, boundary at_border, int stage, judge by>
__global__ void __launch_bounds__(warp* warps_of_block, blocks_resident)
    evaluate_strips(fields<Real> f, int parity, launched_rows rows, strip_cut cut) {
  const strip_place strip(cut);
  cuda::wait_for_preceding();
  const inputs<Real> in = inputs_of<stage>(f, parity);
  const bool is_beside_nodes = blockIdx.x + 1 == gridDim.x;
  if (is_deciding<by, stage>(f, parity, is_beside_nodes, true) || !in.is_running) return;
  const strip_lane<Real, at_border, stage> mine(f, in, cuda::dynamic_shared<columns_of<Real>>(),
                                                strip.column);
  const row_range own = rows.of_block();
  const int first = own.first + strip.row * cut.rows;
  const int last = min(first + cut.rows, own.last);

  unsigned long long error_bits = 0;
  if (first < last) {
    column_forcing<Real> force[lane_columns];
    if constexpr (at_border == boundary::manufactured)
#pragma unroll
      for (int n = 0; n < lane_columns; ++n) force[n].prepare(f.zeta_x[min(mine.i + n, f.nx - 1)], in.at);
#pragma unroll
    for (int slot = 0; slot < rows_held; ++slot) mine.request(slot, first - 1 + slot, last);
    cuda::wait_for_copies<rows_held - 2>();
    window<Real> south = mine.argue(0, first - 1);
    window<Real> here = mine.argue(1, first);
    edges_of<Real> southern = northern_edges(south, here, f.ih);
    for (int j = first; j < last; ++j) {
      const int slot = j - first;
      mine.request(slot, j + rows_held - 1, last);  // replaces row j - 1
      cuda::wait_for_copies<rows_held - 2>();
      const window<Real> north = mine.argue(slot + 2, j + 1);
      const edges_of<Real> northern = northern_edges(here, north, f.ih);
      edge<Real> eastern[lane_columns];
#pragma unroll
      for (int n = 0; n < lane_columns; ++n)
        eastern[n] = edge_of(
            (here.v[n + 2] - here.v[n + 1]) * f.ih.x,
            (north.v[n + 1] - south.v[n + 1] + north.v[n + 2] - south.v[n + 2]) * (Real(.25) * f.ih.y));
      edge<Real> western{__shfl_up_sync(0xffffffffU, eastern[lane_columns - 1].flux, 1),
                         __shfl_up_sync(0xffffffffU, eastern[lane_columns - 1].q, 1)};
      Real rate[lane_columns];
#pragma unroll
      for (int n = 0; n < lane_columns; ++n) {
        const Real h =
            f.ih.x * (eastern[n].flux - western.flux) + f.ih.y * (northern.v[n].flux - southern.v[n].flux);
        rate[n] = Real(.25) * (eastern[n].q + northern.v[n].q + western.q + southern.v[n].q) * h;
        if constexpr (at_border == boundary::manufactured) rate[n] += force[n](f.zeta_y[j]);
        western = eastern[n];
      }
      error_bits = larger(error_bits, mine.write(slot + 1, j, rate));
      southern = northern;
      south = here;
      here = north;
    }
  }
  // Not earlier: the waiting blocks of the next launch would spread unevenly over the multiprocessors.
  cuda::let_following_start();
  if constexpr (stage == 4) report_error(f.decided[parity].largest_error, error_bits);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
