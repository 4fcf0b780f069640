// SPDX-License-Identifier: MIT
// The walk of cuda_one_pass: the five stages of an attempt of mean-curvature flow along a strip of the grid.
//
// A team of three warps walks up a strip of 64 columns, two per lane, through a segment of rows. The first warp
// computes stage 1 and the forcing of all stages, the second stages 2 and 3, the third stages 4 and 5. In each
// step every stage takes in one row of its argument, and the rate of the row below becomes known. Between the
// stages of a warp a row is passed on at once; to the next warp it goes through shared memory, and arrives a step
// later. What a stage needs of its argument stays in registers. The surface is read and written once per attempt.
//
// Each stage needs one more column and row on either side. These margins are computed by the neighbours too.
//
// Units: v = u / h_x is stored, so that differences along x are slopes. A quarter of the argument gives the
// slopes across an edge without another factor. A rate is du/dt * 4 h_x, and theta = tau / (4 h_x^2).
#pragma once

#include <cmath>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/curvature/cuda_order.hpp"
#include "solvers/curvature/cuda_stencil.hpp"
#include "solvers/curvature/grid.hpp"
#include "solvers/curvature/manufactured.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {
namespace one_pass {

constexpr int warp = 32;
constexpr unsigned all_lanes = 0xffffffffU;
constexpr int lane_columns = 2;
constexpr int stages = 5;
constexpr int margin = stages;  // columns and rows on each side
constexpr int strip_columns = warp * lane_columns - 2 * margin;
constexpr int warps = 3;

template <int w>
constexpr int first_stage = w == 0 ? 0 : 2 * w - 1;
template <int s>
constexpr bool begins_warp = s == 0 || s % 2 == 1;
// The row whose rate stage s computes, counted downwards from the row that arrives.
template <int s>
constexpr int behind = s + 1 + (s + 1) / 2;

constexpr int ahead = 4;                                 // rows on their way from device memory
constexpr int v_slots = behind<stages - 1> + 1 + ahead;  // rows of the surface held in shared memory
constexpr int k_slots = 8;                               // rows of rates, a power of two
static_assert(k_slots > behind<stages - 1>);

// The grid has a frame of zeros, so that the margins can be read at its border.
constexpr int frame_columns = 8;  // before column 0; even, so that pairs are aligned
constexpr int frame_rows = 8;     // before row 0 and after the last one

// Waits for the other warps of the team. Each warp does so in code of its own, which __syncthreads() does not
// allow, but a barrier with a number does.
__device__ inline void wait_for_team() {
#ifdef REPRISE_CUDA_EMULATED
  __syncthreads();
#else
  asm volatile("bar.sync 1, %0;" ::"n"(warps * warp) : "memory");
#endif
}

template <class Real>
struct alignas(lane_columns * sizeof(Real)) pair {
  Real v[lane_columns];
};

// Factors of the forcing that depend on x alone, or on y alone. With zeta = c X Y:
//   F = rate P - c T + c^3 A / (1 + c^2 G),  P = XY, T = X''Y + XY'', G = X'^2 Y^2 + X^2 Y'^2,
//   A = X'^2 Y^2 X''Y + X^2 Y'^2 XY'' + 2 X'^2 Y'^2 P
constexpr int x_factors = 4;  // X, X'', X^2, X'^2
constexpr int y_factors = 6;  // the same, 2 Y'^2, and one for alignment

template <class Real>
struct fields {
  int nx, ny;  // nodes
  int pitch;
  int strips, segments;
  Real ratio;  // h_x / h_y
  double h_x;
  Real* v[2];     // with their frames
  const Real* x;  // factors of each column, from -frame_columns
  const Real* y;  // factors of each row, from -frame_rows

  __device__ std::ptrdiff_t place(int i, int j) const {
    return static_cast<std::ptrdiff_t>(j + frame_rows) * pitch + i + frame_columns;
  }
};

// What the phase of zeta contributes to the forcing, in the units of a rate.
template <class Real>
struct alignas(16) phase_factors {
  Real rate, minus_c, c2, c3;
};

// P, T, G and A at one node.
template <class Real>
struct node_factors {
  Real p, t, g, a;

  __device__ node_factors(const Real (&x)[x_factors], const Real (&y)[y_factors]) {
    const Real xx = x[1] * y[0];
    const Real yy = x[0] * y[1];
    const Real of_x = x[3] * y[2];
    const Real of_y = x[2] * y[3];
    p = x[0] * y[0];
    t = xx + yy;
    g = of_x + of_y;
    a = fma(x[3] * y[4], p, fma(of_x, xx, of_y * yy));
  }
};

// a / s for s >= 1, from twenty bits by one step of third order.
__device__ inline double quotient(double a, double s) {
  const double y = cuda::rough_inverse(s);
  const double e = fma(-s, y, 1.0);
  const double rough = a * y;
  return fma(rough, fma(e, e, e), rough);
}
__device__ inline float quotient(float a, float s) {
  return __fdividef(a, s);
}

template <class Real>
__device__ Real forcing(const node_factors<Real>& n, const phase_factors<Real>& at) {
  const Real bent = quotient(n.a, fma(at.c2, n.g, Real(1)));
  return fma(at.c3, bent, fma(at.minus_c, n.t, at.rate * n.p));
}

template <class Real>
__device__ Real slopes_squared(Real along, Real across) {
  return fma(along, along, fma(across, across, Real(1)));
}

// What a stage keeps of its argument: the last two rows, in quarters, and their edges.
template <class Real>
struct stage_rows {
  Real here[lane_columns], below[lane_columns];
  Real across[lane_columns];  // difference of the two neighbours along x, in quarters
  Real along[lane_columns];   // difference to the eastern neighbour
  edge<Real> southern[lane_columns];
};

// What a row needs besides k1. k3 takes the place of the second phase's forcing.
enum part { part_k, part_f2, part_f4, part_f5, parts };

// Shared memory of a team. A lane uses its own columns only.
template <class Real>
struct alignas(16) team_memory {
  pair<Real> v[v_slots][warp];
  pair<Real> k[k_slots][parts][warp];
  pair<Real> passed[warps - 1][2][warp];  // rows for the next warp, in two places that alternate
  pair<Real> x[x_factors][warp];
  Real y[v_slots][y_factors];
  phase_factors<Real> phases[4];
  Real border_c[4];
};

// inner    no border is near
// lateral  the strip contains the grid's first or last column
// general  also the ends of a segment, where some stages have nothing to do, and the rows at the border
enum class body { inner, lateral, general };

// The time of a stage's argument: t, t + tau/3, t + tau/2 or t + tau.
template <int s>
constexpr int phase_of = s == 0   ? 0
                         : s <= 2 ? 1
                                  : s - 1;

// A warp that computes the stages `lowest` to `highest`. Cells says whether cells are square.
template <class Real, boundary at_border, class Cells, int lowest, int highest>
struct walker {
  static constexpr bool is_forced = at_border == boundary::manufactured;

  team_memory<Real>& mine;
  int lane;
  int nx, ny;
  Real ratio;
  Real theta_2, theta_3, theta_6, theta_8;
  int i;            // the lane's first column
  int first, last;  // rows of the segment
  bool has_border;
  bool writes_both;               // columns that this strip computes for itself
  int writes_one;                 // the only such column, or -1
  unsigned is_own[lane_columns];  // all bits or none
  stage_rows<Real> at[stages]{};
  int v_slot = v_slots - 1;  // of the row that arrived last
  int k_slot = -1;
  unsigned long long error_bits = 0;
  Real* out;  // where the result of this step is stored
  // Sources of the next rows; only the first warp reads.
  const Real* from;
  const Real* y_from;
  int pitch;
  int requested = 0;

  __device__ walker(team_memory<Real>& memory, int lane_of_warp, const fields<Real>& f)
      : mine(memory), lane(lane_of_warp), nx(f.nx), ny(f.ny), ratio(f.ratio), pitch(f.pitch) {}

  __device__ int slot(int rows_below) const {
    const int s = v_slot - rows_below;
    return s < 0 ? s + v_slots : s;
  }
  __device__ pair<Real>& v(int rows_below) const { return mine.v[slot(rows_below)][lane]; }
  __device__ pair<Real>& kept(int rows_below, part p) const {
    return mine.k[(k_slot - rows_below) & (k_slots - 1)][p][lane];
  }

  __device__ bool is_border(int column) const { return column == 0 || column == nx - 1; }

  // Imposes the boundary condition on row j of the argument of stage s.
  template <int s, body where>
  __device__ void impose(Real* a, int j) const {
    const bool is_row = where == body::general && (j == 0 || j == ny - 1);
    if (where == body::general && !has_border && !is_row) return;
    if constexpr (at_border == boundary::manufactured) {
      const Real factor = mine.border_c[phase_of<s>] * mine.y[slot(behind<s> - 1)][0];
#pragma unroll
      for (int n = 0; n < lane_columns; ++n)
        if (is_row || is_border(i + n)) a[n] = factor * mine.x[0][lane].v[n];
    } else if constexpr (at_border == boundary::dirichlet) {
      const pair<Real> given = v(behind<s> - 1);
#pragma unroll
      for (int n = 0; n < lane_columns; ++n)
        if (is_row || is_border(i + n)) a[n] = given.v[n];
    } else {
      // The last row is a copy of the one below it. The first row is set when the second one is known.
      if (is_row && j != 0)
#pragma unroll
        for (int n = 0; n < lane_columns; ++n) a[n] = 4 * at[s].here[n];
      const Real western = __shfl_up_sync(all_lanes, a[1], 1);
      if (i == 0) a[0] = a[1];
      if (i == nx - 1) a[0] = western;
      if (i + 1 == nx - 1) a[1] = a[0];
    }
  }

  // How much a stage can do with a row: at the end of a segment the rows below are missing.
  enum class work { store, southern_edge, rate };

  // Takes row j of the argument of stage s in, and computes the rate of row j - 1.
  template <int s, work how_much, body where>
  __device__ void take(const Real* a, int j, const Real* force, Real* rate) {
    stage_rows<Real>& m = at[s];
    const Real quarter[2]{Real(.25) * a[0], Real(.25) * a[1]};
    const Real left = __shfl_up_sync(all_lanes, quarter[1], 1);
    const Real right = __shfl_down_sync(all_lanes, quarter[0], 1);
    const Real across[2]{quarter[1] - left, right - quarter[0]};
    const Real along[2]{a[1] - a[0], fma(Real(4), right, -a[1])};
    if (where == body::general && at_border == boundary::neumann && j == 1) {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        m.here[n] = quarter[n];
        m.across[n] = across[n];
        m.along[n] = along[n];
      }
    }
    if constexpr (how_much != work::store) {
      // Differences of the northern edge and the southern one, whose place it takes.
      Real along_y[2], q_y[2];
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        Real up = fma(Real(-4), m.here[n], a[n]);
        if constexpr (!Cells::is_square) up *= ratio;
        const Real square = slopes_squared(up, m.across[n] + across[n]);
        const Real inverse = inverse_root(square);
        along_y[n] = fma(up, inverse, -m.southern[n].flux);
        q_y[n] = fma(square, inverse, m.southern[n].q);
        m.southern[n] = {up * inverse, square * inverse};
      }
      if constexpr (how_much == work::rate) {
        const Real rise[2]{quarter[0] - m.below[0], quarter[1] - m.below[1]};
        Real over_edge[2]{rise[0] + rise[1], rise[1] + __shfl_down_sync(all_lanes, rise[0], 1)};
        edge<Real> eastern[2];
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          if constexpr (!Cells::is_square) over_edge[n] *= ratio;
          const Real square = slopes_squared(m.along[n], over_edge[n]);
          const Real inverse = inverse_root(square);
          eastern[n] = {m.along[n] * inverse, square * inverse};
        }
        edge<Real> western{__shfl_up_sync(all_lanes, eastern[1].flux, 1),
                           __shfl_up_sync(all_lanes, eastern[1].q, 1)};
#pragma unroll
        for (int n = 0; n < 2; ++n) {
          const Real along_x = eastern[n].flux - western.flux;
          const Real divergence = Cells::is_square ? along_x + along_y[n] : fma(ratio, along_y[n], along_x);
          const Real q = (eastern[n].q + western.q) + q_y[n];
          rate[n] = is_forced ? fma(q, divergence, force[n]) : q * divergence;
          western = eastern[n];
        }
      }
    }
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      m.below[n] = m.here[n];
      m.here[n] = quarter[n];
      m.across[n] = across[n];
      m.along[n] = along[n];
    }
  }

  // The forcing of all phases in the row of stage 1. The first is returned, the others are stored.
  __device__ void force_row(Real* first_force) const {
    constexpr int rows_below = behind<0>;
    Real y[y_factors];
    const Real* const y_here = mine.y[slot(rows_below)];
#pragma unroll
    for (int n = 0; n < y_factors; n += 2) {
      const pair<Real> two = *reinterpret_cast<const pair<Real>*>(y_here + n);
      y[n] = two.v[0];
      y[n + 1] = two.v[1];
    }
    pair<Real> later[3];
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const Real x[x_factors]{mine.x[0][lane].v[n], mine.x[1][lane].v[n], mine.x[2][lane].v[n],
                              mine.x[3][lane].v[n]};
      const node_factors<Real> node(x, y);
      first_force[n] = forcing(node, mine.phases[0]);
#pragma unroll
      for (int p = 0; p < 3; ++p) later[p].v[n] = forcing(node, mine.phases[p + 1]);
    }
    kept(rows_below, part_f2) = later[0];
    kept(rows_below, part_f4) = later[1];
    kept(rows_below, part_f5) = later[2];
  }

  template <int s>
  __device__ void fetch_force(Real* force) const {
    if constexpr (!is_forced) return;
    if constexpr (s == 0) {
      force_row(force);
    } else {
      const pair<Real> stored = kept(behind<s>, s <= 2 ? part_f2 : s == 3 ? part_f4 : part_f5);
      force[0] = stored.v[0];
      force[1] = stored.v[1];
    }
  }

  // Row j of the argument of stage s has arrived. Continues with the stages of this warp that follow it.
  template <int s, body where>
  __device__ void advance_stage(Real* a, int j) {
    if constexpr (where == body::general)
      if (j < first - margin + s || j >= last + margin - s) return;
    if constexpr (where != body::inner) impose<s, where>(a, j);
    Real force[2]{};
    Real rate[2]{};
    if constexpr (where == body::general) {
      if (j == first - margin + s) return take<s, work::store, where>(a, j, force, rate);
      if (j == first - margin + s + 1) return take<s, work::southern_edge, where>(a, j, force, rate);
    }
    fetch_force<s>(force);
    take<s, work::rate, where>(a, j, force, rate);
    Real next[2]{};
    finish<s>(rate, next);
    if constexpr (s + 1 < stages) {
      if constexpr (begins_warp<s + 1>) {
        mine.passed[s / 2][k_slot & 1][lane] = {{next[0], next[1]}};
      } else {
        advance_stage<s + 1, where>(next, j - 1);
      }
    }
  }

  // Computes the next argument from the rate of stage s, or in the last stage the new surface and the error.
  template <int s>
  __device__ void finish(const Real* rate, Real* next) {
    const pair<Real> from_v = v(behind<s>);
    pair<Real>& k = kept(behind<s>, part_k);
    if constexpr (s == 0) {
#pragma unroll
      for (int n = 0; n < 2; ++n) next[n] = fma(theta_3, rate[n], from_v.v[n]);
      k = {{rate[0], rate[1]}};
    } else if constexpr (s == 1) {
      const pair<Real> k1 = k;
#pragma unroll
      for (int n = 0; n < 2; ++n) next[n] = fma(theta_6, k1.v[n] + rate[n], from_v.v[n]);
    } else if constexpr (s == 2) {
      pair<Real> k1 = k;
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        next[n] = fma(theta_8, fma(Real(3), rate[n], k1.v[n]), from_v.v[n]);
        k1.v[n] = fma(Real(-3), rate[n], k1.v[n]);
      }
      k = k1;
      kept(behind<s>, part_f2) = {{rate[0], rate[1]}};
    } else if constexpr (s == 3) {
      pair<Real> sum = k;
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        sum.v[n] = fma(Real(4), rate[n], sum.v[n]);
        next[n] = fma(theta_2, sum.v[n], from_v.v[n]);
      }
      k = sum;
    } else {
      const pair<Real> sum = k;  // k1 - 3 k3 + 4 k4
      const pair<Real> k3 = kept(behind<s>, part_f2);
      pair<Real> result;
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const Real rest = fma(Real(-3), k3.v[n], -rate[n]);
        result.v[n] = fma(theta_6, sum.v[n] - rest, from_v.v[n]);
        const Real error = fma(Real(2), sum.v[n], rest);  // 2 k1 - 9 k3 + 8 k4 - k5
        const unsigned long long own = static_cast<unsigned long long>(is_own[n]) << 32 | is_own[n];
        error_bits = larger(error_bits, bits_of(static_cast<double>(std::abs(error))) & own);
      }
      if (writes_both) *reinterpret_cast<pair<Real>*>(out) = result;
      if (writes_one >= 0) out[writes_one] = writes_one == 0 ? result.v[0] : result.v[1];
    }
  }

  // All stages of the warp, when row j of the surface has arrived. The last ones come first, because they work on
  // rows of the step before.
  template <body where, int s = highest>
  __device__ void step(int j) {
    if constexpr (s == 0) {
      pair<Real> a = v(0);
      advance_stage<0, where>(a.v, j);
    } else {
      if constexpr (begins_warp<s>) {
        pair<Real> a = mine.passed[s / 2][(k_slot - 1) & 1][lane];
        advance_stage<s, where>(a.v, j - behind<s> + 1);
      }
      if constexpr (s > lowest) step<where, s - 1>(j);
    }
  }

  // Copies the next row. Rows beyond the margin are left out, because they may not exist.
  __device__ void request(int row) {
    if (row < last + margin) {
      cuda::copy_async(&mine.v[requested][lane], reinterpret_cast<const pair<Real>*>(from));
      if (is_forced && lane < y_factors / 2)
        cuda::copy_async(reinterpret_cast<pair<Real>*>(mine.y[requested]) + lane,
                         reinterpret_cast<const pair<Real>*>(y_from));
    }
    from += pitch;
    y_from += y_factors;
    requested = requested + 1 == v_slots ? 0 : requested + 1;
    cuda::close_copies();
  }

  template <body where>
  __device__ void take_row(int j) {
    v_slot = v_slot + 1 == v_slots ? 0 : v_slot + 1;
    ++k_slot;
    if constexpr (highest == stages - 1) out += pitch;
    if constexpr (lowest == 0) {
      request(j + ahead);
      cuda::wait_for_copies<ahead>();
      __syncwarp();
    }
    step<where>(j);
    wait_for_team();
  }

  __device__ void walk() {
    int j = first - margin;
    const int end = last + behind<stages - 1>;
    // Between these, all stages of the warp have a rate to compute and no border row.
    const int whole_first = max(first - 4 + highest + behind<highest>, behind<highest> + 1);
    const int whole_last = min(last + 4 - lowest, ny - 2) + behind<lowest>;
    while (j < end) {
      if (j < whole_first || j >= whole_last) {
        take_row<body::general>(j);
        ++j;
      } else if (has_border) {
#pragma unroll 1
        for (; j < whole_last; ++j) take_row<body::lateral>(j);
      } else {
#pragma unroll 1
        for (; j < whole_last; ++j) take_row<body::inner>(j);
      }
    }
  }
};

}  // namespace one_pass
}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
