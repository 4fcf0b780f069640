// SPDX-License-Identifier: MIT
// The walk of cuda_streamed: the four stages of a step of Runge-Kutta along a strip of the tissue.
//
// A warp walks up a strip of columns, a few neighbouring ones per lane, through a segment of rows. With each row of
// the state that arrives, each stage takes in one row of its argument and passes on the row below it, which only now
// has both its neighbours. What a stage keeps of its rows stays in registers, and columns pass between lanes by
// shuffles. So warps never wait for each other, and the state is read and written once.
//
// Each stage needs one more column and row on either side. These margins are computed by the neighbours too. Beyond a
// border they hold the mirror image or periodic continuation of the tissue, whose cells are advanced like any others.
// Stages also run on rows that nobody needs, at both ends of a segment: without branches the compiler can interleave
// the arithmetic of all stages.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/cuda_rates.hpp"
#include "solvers/tissue/stages.hpp"

namespace reprise::tissue {
inline namespace REPRISE_CUDA_FLAVOUR {
namespace streamed {

constexpr int warp = 32;
constexpr unsigned all_lanes = 0xffffffffU;
constexpr int stages = 4;
static_assert(margin == stages);

constexpr int ahead = 4;               // rows on their way from device memory
constexpr int slots = stages + ahead;  // rows of the state held in shared memory
static_assert((slots & (slots - 1)) == 0);

// Rows more than a segment's own that a warp takes in.
constexpr int filling = 2 * margin;

template <class Real, class Model>
struct strip_data {
  int nx, ny;
  edge border;
  int strips, segments;
  bool is_aligned;  // whether a lane's columns begin at a multiple of 16 bytes in every row
  streamed_rates<Real, Model> rates;
  // By field, in units of its time constant. A stage's rate enters the next stage's argument by a half of the step or
  // all of it, and the step's end by a sixth or a third.
  Real half[Model::fields], whole[Model::fields], sixth[Model::fields], third[Model::fields];
  Real spread[Model::diffusing], spread_6[Model::diffusing];  // D / (6 dx^2), and six times that
};

// The columns of a lane, the rows that a turn of the loop takes in, and the warps that a multiprocessor holds. With two
// rows in a turn, half as many values must change their registers.
template <int columns_, int rows_, int resident_>
struct strip_shape {
  static constexpr int columns = columns_;
  static constexpr int rows = rows_;
  static constexpr int resident = resident_;
};

template <class Real, class Model, class Shape>
struct strip {
  static constexpr int columns = Shape::columns;
  static constexpr int width = warp * columns;
  static constexpr int own = width - 2 * margin;
  static constexpr int fields = Model::fields;
  static constexpr int diffusing = Model::diffusing;
  static_assert(margin % columns == 0);

  // Values that one access moves, and the accesses for a lane's columns.
  static constexpr int together = std::min<int>(columns, 16 / sizeof(Real));
  static constexpr int parts = columns / together;
  struct alignas(together * sizeof(Real)) part {
    Real v[together];
  };

  struct row {
    part of[fields][parts][warp];
  };
  static constexpr std::size_t shared_bytes = slots * sizeof(row);

  // Bytes of shared memory per cell that is computed: a value is written once, and read by the stages that add to it.
  static constexpr double shared_bytes_of_cell = sizeof(Real) * (4. * fields + diffusing);

  using values = Real[fields][columns];

  // What a stage keeps.
  struct kept {
    Real along[diffusing][columns];  // sum of the last row's values, 1, 4, 1
    Real rate[diffusing][columns];   // of the last row, without the part of the row above
    Real sum[fields][columns];       // the last row's state at the end of the step, as far as it is known
    Real next[fields][columns];      // the last row of the next argument, of fields that do not diffuse
  };

  const strip_data<Real, Model>& all;
  row* const rows;
  const int lane;
  const Real* const from;
  const int first, last;  // rows of the segment
  const int start;        // the strip's first column, margin included
  int source[columns];    // the columns of the tissue that this lane copies
  Real* out;              // this lane's first column in the row that is stored next
  kept at[stages]{};

  __device__ strip(const strip_data<Real, Model>& d, row* shared, const Real* state, Real* to)
      : all(d),
        rows(shared),
        lane(static_cast<int>(threadIdx.x)),
        from(state),
        first(begin_of(static_cast<int>(blockIdx.x) / d.strips)),
        last(begin_of(static_cast<int>(blockIdx.x) / d.strips + 1)),
        start(static_cast<int>(blockIdx.x) % d.strips * own - margin),
        out(to + static_cast<std::ptrdiff_t>(first) * d.nx + start + lane * columns) {
#pragma unroll
    for (int n = 0; n < columns; ++n) source[n] = folded(d.border, start + n * warp + lane, d.nx);
  }

  __device__ int begin_of(int segment) const {
    return segment * (all.ny / all.segments) + min(segment, all.ny % all.segments);
  }
  __device__ std::ptrdiff_t cells() const {
    return static_cast<std::ptrdiff_t>(all.nx) * all.ny;
  }

  // Copies a row of the state. Neighbouring lanes copy neighbouring cells.
  __device__ void request(int j) {
    if (j < last + margin) {
      const Real* const of_row = from + static_cast<std::ptrdiff_t>(folded(all.border, j, all.ny)) * all.nx;
      row& to = rows[j & (slots - 1)];
#pragma unroll
      for (int n = 0; n < columns; ++n) {
        const int column = n * warp + lane;
        const int owner = column / columns;
        const int place = column % columns;
#pragma unroll
        for (int f = 0; f < fields; ++f)
          cuda::copy_async(&to.of[f][place / together][owner].v[place % together],
                           of_row + f * cells() + source[n]);
      }
    }
    cuda::close_copies();
  }

  // The lane's columns in row j.
  __device__ void read(int j, int f, Real (&to)[columns]) const {
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      const part some = rows[j & (slots - 1)].of[f][p][lane];
#pragma unroll
      for (int n = 0; n < together; ++n) to[p * together + n] = some.v[n];
    }
  }

  template <int s>
  __device__ Real weight(int f) const {
    return s == 0 || s == stages - 1 ? all.sixth[f] : all.third[f];
  }
  template <int s>
  __device__ Real step(int f) const {
    return s == stages - 2 ? all.whole[f] : all.half[f];
  }

  // Adds a stage's rates of a row to the state z: the next argument. The sum gets their part of the step's end.
  template <int s>
  __device__ void add(int f, const Real (&rate)[columns], const Real (&z)[columns], Real (&sum)[columns],
                      Real (&next)[columns]) const {
#pragma unroll
    for (int n = 0; n < columns; ++n) {
      sum[n] = fma(weight<s>(f), rate[n], sum[n]);
      if constexpr (s + 1 < stages) next[n] = fma(step<s>(f), rate[n], z[n]);
    }
  }

  // Row j of the argument of stage s has arrived, with the sum of that row. Passes row j - 1 on, as far as the
  // following stages.
  template <int s>
  __device__ void advance(int j, const values& argument, const values& sum_of_row) {
    kept& mine = at[s];
    values next{}, sum;
    Real bend[diffusing][columns], climb[diffusing][columns];
#pragma unroll
    for (int f = 0; f < diffusing; ++f) {
      const Real(&a)[columns] = argument[f];
      const Real left = __shfl_up_sync(all_lanes, a[columns - 1], 1);
      const Real right = __shfl_down_sync(all_lanes, a[0], 1);
      Real rate[columns], z[columns]{};
#pragma unroll
      for (int n = 0; n < columns; ++n) {
        const Real beside = (n == 0 ? left : a[n - 1]) + (n + 1 == columns ? right : a[n + 1]);
        bend[f][n] = fma(Real(-2), a[n], beside);
        const Real along = fma(Real(6), a[n], bend[f][n]);
        climb[f][n] = along - mine.along[f][n];
        mine.along[f][n] = along;
        rate[n] = fma(all.spread[f], climb[f][n], mine.rate[f][n]);
        sum[f][n] = mine.sum[f][n];
        mine.sum[f][n] = sum_of_row[f][n];
      }
      if constexpr (s + 1 < stages) read(j - s - 1, f, z);
      if constexpr (s == 0)
#pragma unroll
        for (int n = 0; n < columns; ++n) sum[f][n] = z[n];
      add<s>(f, rate, z, sum[f], next[f]);
    }
#pragma unroll
    for (int f = diffusing; f < fields; ++f)
#pragma unroll
      for (int n = 0; n < columns; ++n) {
        next[f][n] = mine.next[f][n];
        sum[f][n] = mine.sum[f][n];
        mine.sum[f][n] = sum_of_row[f][n];
      }
    values local;
#pragma unroll
    for (int n = 0; n < columns; ++n) {
      Real here[fields], rate[fields];
#pragma unroll
      for (int f = 0; f < fields; ++f) here[f] = argument[f][n];
      all.rates.local(here, rate);
#pragma unroll
      for (int f = 0; f < fields; ++f) local[f][n] = rate[f];
    }
#pragma unroll
    for (int f = 0; f < diffusing; ++f)
#pragma unroll
      for (int n = 0; n < columns; ++n)
        mine.rate[f][n] = fma(-all.spread[f], climb[f][n], fma(all.spread_6[f], bend[f][n], local[f][n]));
#pragma unroll
    for (int f = diffusing; f < fields; ++f) {
      Real z[columns]{};
      if constexpr (s + 1 < stages) read(j - s, f, z);
      add<s>(f, local[f], z, mine.sum[f], mine.next[f]);
    }
    if constexpr (s + 1 < stages)
      advance<s + 1>(j, next, sum);
    else
      store(j - stages, sum);
  }

  __device__ void store(int j, const values& z) {
    if (j < first || j >= last) return;
    const int column = lane * columns;
    const int end = column >= margin && column < margin + own ? all.nx - start - column : 0;
    if (all.is_aligned && end >= columns) {
#pragma unroll
      for (int f = 0; f < fields; ++f)
#pragma unroll
        for (int p = 0; p < parts; ++p) {
          part some;
#pragma unroll
          for (int n = 0; n < together; ++n) some.v[n] = z[f][p * together + n];
          reinterpret_cast<part*>(out + f * cells())[p] = some;
        }
    } else {
#pragma unroll
      for (int f = 0; f < fields; ++f)
#pragma unroll
        for (int n = 0; n < columns; ++n)
          if (n < end) out[f * cells() + n] = z[f][n];
    }
    out += all.nx;
  }

  __device__ void take(int j) {
    cuda::wait_for_copies<ahead - 1>();
    __syncwarp();
    request(j + ahead);
    values z;
#pragma unroll
    for (int f = 0; f < fields; ++f) read(j, f, z[f]);
    advance<0>(j, z, z);
  }

  // The segment may end before the last row of a turn.
  __device__ void walk() {
#pragma unroll
    for (int n = 0; n < ahead; ++n) request(first - margin + n);
#pragma unroll 1
    for (int j = first - margin; j < last + margin; j += Shape::rows)
#pragma unroll
      for (int n = 0; n < Shape::rows; ++n) take(j + n);
  }
};

}  // namespace streamed
}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::tissue
