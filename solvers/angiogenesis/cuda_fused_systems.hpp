// SPDX-License-Identifier: MIT
// Solves the three tridiagonal systems of the model's matrix in one launch, one warp each: C and I side by side, then
// P, which depends on C. The factors stay in registers between factorisation and solve, or are stored for later solves.
// b and x may lie in the host's memory: each value is read or written once, in order.
// Formula: as cuda_tridiagonal.hpp, x_i = Y_i - G_i z - F_i z'.
#pragma once

#include "solvers/angiogenesis/cuda_tridiagonal.hpp"
#include "solvers/angiogenesis/matrix.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

constexpr int fused_systems = 3;
constexpr unsigned fused_threads = fields * lanes;

struct fused_matrix {
  int nodes;
  const double* rows;      // [system][lower, diagonal, upper][node]
  const double* coupling;  // [node]
  double* factors;         // [system][word][lane], for later solves
};

// The factors of one lane's rows.
template <int run>
struct lane_factors {
  static constexpr int reductions = 5;
  static constexpr int words = 5 * run + 2 * reductions + 2;

  double inverse[run], inward[run], outward[run], left[run], right[run];
  double below[reductions], above[reductions];
  double out, scale;

  static __device__ double up(double v, int by) {
    return __shfl_up_sync(all_lanes, v, static_cast<unsigned>(by));
  }
  static __device__ double down(double v, int by) {
    return __shfl_down_sync(all_lanes, v, static_cast<unsigned>(by));
  }

  // Rows beyond the last node are rows of the identity.
  __device__ void factorise(const double* lower, const double* diagonal, const double* upper, int nodes) {
    const int first = lane_of_thread() * run;
    double fill = 0;
    out = 0;
#pragma unroll
    for (int s = 0; s < run; ++s) {
      const int k = first + s;
      const bool is_node = k < nodes;
      const double l = is_node ? lower[k] : 0, d = is_node ? diagonal[k] : 1, u = is_node ? upper[k] : 0;
      const double w = cuda::quick_inverse(s > 0 ? d - l * out : d);
      inverse[s] = w;
      inward[s] = s > 0 ? l * w : 0;
      fill = s > 0 ? -inward[s] * fill : l * w;
      outward[s] = out = u * w;
      left[s] = fill;
    }
    double from_before = 0, from_last = -1;
    left[run - 1] = 0;
    right[run - 1] = -1;
#pragma unroll
    for (int s = run - 2; s >= 0; --s) {
      from_last *= -outward[s];
      from_before = left[s] - outward[s] * from_before;
      left[s] = from_before;
      right[s] = from_last;
    }
    reduce_equations(fill, 1 - out * down(from_before, 1), -out * down(from_last, 1));
  }

  // Solves in place: x holds the right-hand side, then the answer.
  __device__ void solve(double (&x)[run]) const {
    double y = 0;
#pragma unroll
    for (int s = 0; s < run; ++s) {
      y = inverse[s] * x[s] - inward[s] * y;
      x[s] = y;
    }
    double top = 0;
#pragma unroll
    for (int s = run - 2; s >= 0; --s) {
      top = x[s] - outward[s] * top;
      x[s] = top;
    }
    double z = y - out * down(top, 1);
#pragma unroll
    for (int q = 0; q < reductions; ++q) {
      const double before = up(z, 1 << q), after = down(z, 1 << q);
      z -= below[q] * before + above[q] * after;
    }
    z *= scale;
    const double before = up(z, 1);
#pragma unroll
    for (int s = 0; s + 1 < run; ++s) x[s] -= right[s] * z + left[s] * before;
    x[run - 1] = z;
  }

  __device__ void store(double* to) {
    each_word([&](double& word, int at) { to[at * lanes + lane_of_thread()] = word; });
  }
  __device__ void load(const double* from) {
    each_word([&](double& word, int at) { word = from[at * lanes + lane_of_thread()]; });
  }

 private:
  // The lanes' equations in their last unknowns, by cyclic reduction.
  __device__ void reduce_equations(double before, double own, double after) {
#pragma unroll
    for (int q = 0; q < reductions; ++q) {
      const int distance = 1 << q;
      below[q] = before * cuda::quick_inverse(up(own, distance));
      above[q] = after * cuda::quick_inverse(down(own, distance));
      const double before_of_before = up(before, distance), after_of_before = up(after, distance);
      const double before_of_after = down(before, distance), after_of_after = down(after, distance);
      own -= below[q] * after_of_before + above[q] * before_of_after;
      before = -below[q] * before_of_before;
      after = -above[q] * after_of_after;
    }
    scale = cuda::quick_inverse(own);
  }

  template <class Visit>
  __device__ void each_word(Visit visit) {
#pragma unroll
    for (int s = 0; s < run; ++s) {
      visit(inverse[s], 5 * s);
      visit(inward[s], 5 * s + 1);
      visit(outward[s], 5 * s + 2);
      visit(left[s], 5 * s + 3);
      visit(right[s], 5 * s + 4);
    }
#pragma unroll
    for (int q = 0; q < reductions; ++q) {
      visit(below[q], 5 * run + 2 * q);
      visit(above[q], 5 * run + 2 * q + 1);
    }
    visit(out, words - 2);
    visit(scale, words - 1);
  }
};

template <int run>
__device__ void factorise_one(const fused_matrix& m, int system, lane_factors<run>& f) {
  const double* const rows = m.rows + static_cast<long long>(system) * 3 * m.nodes;
  f.factorise(rows, rows + m.nodes, rows + 2 * m.nodes, m.nodes);
}

template <int run>
__device__ double* factors_of(const fused_matrix& m, int system) {
  return m.factors + static_cast<long long>(system) * lane_factors<run>::words * lanes;
}

template <int run>
__global__ void __launch_bounds__(fused_systems* lanes)
    factorise_fused(const __grid_constant__ fused_matrix m) {
  const int system = static_cast<int>(threadIdx.x) / lanes;
  lane_factors<run> f;
  factorise_one(m, system, f);
  f.store(factors_of<run>(m, system));
}

// The last warp has no system: it copies F.
template <int run, bool has_factors>
__global__ void __launch_bounds__(fused_threads, 1)
    solve_fused(const __grid_constant__ fused_matrix m, const double* b, double* x) {
  constexpr int rows = lanes * run;
  REPRISE_SHARED_ARRAY(double, desk, [fields][rows]);
  const int self = static_cast<int>(threadIdx.x), field = self / lanes, first = lane_of_thread() * run;
  for (int e = self; e < fields * m.nodes; e += static_cast<int>(fused_threads))
    desk[e / m.nodes][e % m.nodes] = b[e];
  for (int f = 0; f < fields; ++f)
    for (int k = m.nodes + self; k < rows; k += static_cast<int>(fused_threads)) desk[f][k] = 0;
  lane_factors<run> factors;
  if (field < fused_systems) {
    if constexpr (has_factors) {
      factors.load(factors_of<run>(m, field));
    } else {
      factorise_one(m, field, factors);
    }
  }
  double coupling[run];
#pragma unroll
  for (int s = 0; s < run; ++s) coupling[s] = field == 1 && first + s < m.nodes ? m.coupling[first + s] : 0;
  __syncthreads();
  const auto solve = [&] {
    double v[run];
#pragma unroll
    for (int s = 0; s < run; ++s)
      v[s] = desk[field][first + s] - (field == 1 ? coupling[s] * desk[0][first + s] : 0);
    factors.solve(v);
#pragma unroll
    for (int s = 0; s < run; ++s) desk[field][first + s] = v[s];
  };
  if (field == 0 || field == 2) solve();
  __syncthreads();
  if (field == 1) {
    solve();
  } else {
    for (int k = lane_of_thread(); k < m.nodes; k += lanes) x[field * m.nodes + k] = desk[field][k];
  }
  __syncthreads();
  for (int k = self; k < m.nodes; k += static_cast<int>(fused_threads)) x[m.nodes + k] = desk[1][k];
}

// The kernels for one number of rows per lane.
struct fused_kernels {
  void (*factorise)(fused_matrix){};
  void (*solve)(fused_matrix, const double*, double*){};
  void (*factorise_and_solve)(fused_matrix, const double*, double*){};
  int words{};  // of factors, per lane and system
  int run{};    // rows per lane
};

// Words of the desk that a solve writes and reads: the right-hand side with its empty rows, of each system the rows before
// and after, C once more for P, and all answers.
inline double desk_words(int run, int nodes) {
  const double rows = lanes * run;
  return (fields + 2 * fused_systems + 1) * rows + fields * nodes;
}

template <int run>
fused_kernels fused_with_run() {
  return {factorise_fused<run>, solve_fused<run, true>, solve_fused<run, false>, lane_factors<run>::words,
          run};
}

// The kernels for a grid; empty beyond 416 nodes, where the factors do not fit into registers. Rows per lane are odd,
// so that the lanes' rows lie in different banks of shared memory.
inline fused_kernels fused_kernels_for(int nodes) {
  if (nodes <= 3 * lanes) return fused_with_run<3>();
  if (nodes <= 7 * lanes) return fused_with_run<7>();
  if (nodes <= 13 * lanes) return fused_with_run<13>();
  return {};
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
