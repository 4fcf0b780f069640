// SPDX-License-Identifier: MIT
// Solves a tridiagonal system with one warp.
// Formula: with z the last unknown of a lane and z' that of the preceding lane, x_i = Y_i - G_i z - F_i z'.
//
// Each lane eliminates its own run of rows from above, down to an equation in the last unknowns of three
// neighbouring runs. These 32 equations take five steps of cyclic reduction, by shuffles. The other unknowns
// then follow row by row without dependencies. All coefficients are computed beforehand. There is no
// pivoting, because rows are diagonally dominant.
#pragma once

#include "solvers/common/cuda/cuda.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int lanes = 32;
constexpr unsigned all_lanes = 0xffffffffU;

// Rows per lane. The number is odd, so that the lanes' rows lie in different banks of shared memory.
__host__ __device__ constexpr int run_of(int nodes) {
  return ((nodes + lanes - 1) / lanes) | 1;
}

// Factors by row, and factors of the reduced system by lane. Rows beyond the last are rows of the identity.
struct warp_factors {
  static constexpr int words_of_lane = 17;  // 2, and 3 for each of five reductions

  double* inverse;  // w
  double* inward;   // l w, zero in a run's first row
  double* outward;  // u w
  double* left;     // F
  double* right;    // G
  double* reduced;

  // Number of words for a system whose lanes have `run` rows each.
  __host__ __device__ static constexpr int words(int run) { return 5 * lanes * run + words_of_lane * lanes; }
  __device__ warp_factors(double* at, int run) {
    const int rows = lanes * run;
    inverse = at;
    inward = at + rows;
    outward = at + 2 * rows;
    left = at + 3 * rows;
    right = at + 4 * rows;
    reduced = at + 5 * rows;
  }
};

__device__ inline int lane_of_thread() {
  return static_cast<int>(threadIdx.x) % lanes;
}

// One row: l x_(k-1) + d x_k + u x_(k+1).
struct row_of_three {
  double lower, diagonal, upper;
};

// Computes the factors; called by all lanes of a warp. row(k) returns row k of lanes * run.
template <class Row>
__device__ void factorise_by_warp(Row row, const warp_factors& f, int run) {
  const int lane = lane_of_thread();
  const int first = lane * run;
  double out = 0;
  double fill = 0;
  for (int k = first; k < first + run; ++k) {
    const row_of_three r = row(k);
    const double w = 1 / (k > first ? r.diagonal - r.lower * out : r.diagonal);
    fill = k > first ? -r.lower * fill * w : r.lower * w;
    out = r.upper * w;
    f.inverse[k] = w;
    f.inward[k] = k > first ? r.lower * w : 0;
    f.outward[k] = out;
    f.left[k] = fill;
  }
  double from_before = 0;
  double from_last = -1;
  for (int k = first + run - 1; k >= first; --k) {
    if (k < first + run - 1) {
      from_last *= -f.outward[k];
      from_before = f.left[k] - f.outward[k] * from_before;
    }
    f.left[k] = from_before;
    f.right[k] = from_last;
  }
  // The lane's reduced equation is fill z' + (1 - out F) z - out G z'' = y - out Y, with F, G and Y
  // of the next lane's first row.
  const double scale = 1 / (1 - out * __shfl_down_sync(all_lanes, from_before, 1));
  double before = fill * scale;
  double after = -out * __shfl_down_sync(all_lanes, from_last, 1) * scale;
  double* reduced = f.reduced + lane;
  reduced[0] = scale;
  reduced[lanes] = out * scale;
  reduced += 2 * lanes;
  for (unsigned distance = 1; distance < lanes; distance *= 2, reduced += 3 * lanes) {
    const double before_of_before = __shfl_up_sync(all_lanes, before, distance);
    const double after_of_before = __shfl_up_sync(all_lanes, after, distance);
    const double before_of_after = __shfl_down_sync(all_lanes, before, distance);
    const double after_of_after = __shfl_down_sync(all_lanes, after, distance);
    const double keep = 1 / (1 - before * after_of_before - after * before_of_after);
    reduced[0] = keep;
    reduced[lanes] = before * keep;
    reduced[2 * lanes] = after * keep;
    before *= -before_of_before * keep;
    after *= -after_of_after * keep;
  }
}

// Solves for x; called by all lanes of a warp. right(k) returns the right-hand side,
// which may be stored in x itself.
template <class Right>
__device__ void solve_by_warp(Right right, const warp_factors& f, int run, double* x) {
  const int first = lane_of_thread() * run;
  const int last = first + run - 1;
  double y = 0;
  for (int k = first; k <= last; ++k) {
    y = f.inverse[k] * right(k) - f.inward[k] * y;
    x[k] = y;
  }
  double top = 0;
  for (int k = last - 1; k >= first; --k) {
    top = x[k] - f.outward[k] * top;
    x[k] = top;
  }
  const double* reduced = f.reduced + lane_of_thread();
  double z = reduced[0] * y - reduced[lanes] * __shfl_down_sync(all_lanes, top, 1);
  reduced += 2 * lanes;
  for (unsigned distance = 1; distance < lanes; distance *= 2, reduced += 3 * lanes) {
    const double before = __shfl_up_sync(all_lanes, z, distance);
    const double after = __shfl_down_sync(all_lanes, z, distance);
    z = reduced[0] * z - reduced[lanes] * before - reduced[2 * lanes] * after;
  }
  const double before = __shfl_up_sync(all_lanes, z, 1);
  for (int k = first; k < last; ++k) x[k] -= f.right[k] * z + f.left[k] * before;
  x[last] = z;
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
