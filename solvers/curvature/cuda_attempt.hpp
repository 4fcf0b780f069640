// SPDX-License-Identifier: MIT
// Shared parts of the kernels of an attempt when the device chooses the step: the fields, the inputs of a
// stage's argument, and the decision.
//
// The first stage does not wait for the decision. It continues from the new surface as if the preceding
// attempt were accepted, while a separate block decides. If the attempt is rejected, the first stage of the
// old surface is still stored.
#pragma once

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/curvature/controller.hpp"
#include "solvers/curvature/cuda_order.hpp"
#include "solvers/curvature/manufactured.hpp"
#include "solvers/curvature/row_blocks.hpp"
#include "solvers/curvature/stencil.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

// The data on which an attempt depends.
struct decision {
  merson state;
  phase<double> at[4];  // zeta's phase at t, t + tau/3, t + tau/2, t + tau
  int current;          // index of the surface that holds u
  bool is_open;         // an attempt is under way and its error is not judged yet
  unsigned long long largest_error;
};

template <class Real>
struct fields {
  int nx, ny;     // nodes of the grid
  int pitch;      // distance between rows
  int first_row;  // first row that is held here
  inverse_steps<Real> ih;
  Real* u[2];
  Real* k1[2];  // k1 of either surface
  Real *k2, *k3, *k4;
  const profile<Real>* zeta_x;
  const profile<Real>* zeta_y;
  decision* decided;  // two decisions: of this attempt and of the one before

  __device__ int place(int i, int j) const { return i + (j - first_row) * pitch; }
};

// The rows that one launch computes: one range, or two, selected by blockIdx.z.
struct launched_rows {
  row_range lower, upper;

  __device__ row_range of_block() const { return blockIdx.z == 0 ? lower : upper; }
};

// What judges an attempt: a block of the next attempt's first stage, or a separate launch,
// which can wait for other ranks.
enum class judge { first_stage, own_launch };

template <int stage>
constexpr int phase_of = stage == 0   ? 0
                         : stage <= 2 ? 1
                                      : stage - 1;

// Judges the attempt that is under way, if there is one.
__device__ inline void settle(decision& d) {
  if (!d.is_open) return;
  d.is_open = false;
  if (finish_attempt(d.state, d.state.tau / 3 * magnitude_of(d.largest_error))) d.current = 1 - d.current;
  d.at[0] = phase_at(d.state.t);
}

// Called by all threads of the one block that decides.
__device__ inline void decide(decision* decided, int parity) {
  const unsigned thread = threadIdx.x + threadIdx.y * blockDim.x;
  decision& now = decided[parity];
  if (thread == 0) {
    now = decided[1 - parity];
    settle(now);
    now.is_open = now.state.state == ending::running;
    now.largest_error = 0;
  }
  __syncthreads();
  constexpr double parts[4]{0, 1.0 / 3, 1.0 / 2, 1};
  if (thread >= 1 && thread < 4) now.at[thread] = phase_at(now.state.t + parts[thread] * now.state.tau);
}

// Inputs of a stage.
template <class Real>
struct inputs {
  bool is_running;
  int current;
  Real tau;
  phase<Real> at;
};

template <int stage, class Real>
__device__ inputs<Real> inputs_of(const fields<Real>& f, int parity) {
  const decision& d = f.decided[stage == 0 ? 1 - parity : parity];
  const bool is_ahead = stage == 0 && d.is_open;
  const phase<double> at = d.at[is_ahead ? 3 : phase_of<stage>];
  return {d.state.state == ending::running,
          is_ahead ? 1 - d.current : d.current,
          static_cast<Real>(d.state.tau),
          {static_cast<Real>(at.c), static_cast<Real>(at.rate)}};
}

// If the first stage judges, its grid has blocks beside those of nodes, of which the first decides.
template <judge by, int stage, class Real>
__device__ bool is_deciding(const fields<Real>& f, int parity, bool is_beside_nodes, bool is_first) {
  if (by != judge::first_stage || stage != 0 || !is_beside_nodes) return false;
  if (is_first) decide(f.decided, parity);
  return true;
}

// Raises the largest error that has been found. Must be called by every thread of every block.
__device__ inline void report_error(unsigned long long& largest, unsigned long long error_bits) {
  constexpr unsigned warp = 32;
  REPRISE_SHARED_ARRAY(unsigned long long, of_warp, [warp]);
  const unsigned thread = threadIdx.x + threadIdx.y * blockDim.x;
  error_bits = largest_of_warp(error_bits);
  if (thread % warp == 0) of_warp[thread / warp] = error_bits;
  __syncthreads();
  if (thread != 0) return;
  for (unsigned w = 1; w < blockDim.x * blockDim.y / warp; ++w) error_bits = larger(error_bits, of_warp[w]);
  // Most blocks find a larger error stored already, and can skip the atomic operation.
  if (error_bits > __ldcg(&largest)) atomicMax(&largest, error_bits);
}

// Values at one node from which a stage's argument is formed: u, k1, and then k2, k3 or both k3 and k4.
template <class Real>
struct ingredients {
  Real u, k[3];
};

template <int stage>
constexpr int ingredients_of = stage == 0   ? 1
                               : stage == 1 ? 2
                               : stage <= 3 ? 3
                                            : 4;

template <int stage, class Real>
__device__ const Real* ingredient(const fields<Real>& f, int current, int n) {
  if (n == 0) return current == 0 ? f.u[0] : f.u[1];
  if (n == 1) return current == 0 ? f.k1[0] : f.k1[1];
  if (n == 2) return stage == 2 ? f.k2 : f.k3;
  return f.k4;
}

template <int stage, class Real>
__device__ ingredients<Real> fetch(const fields<Real>& f, int current, int node) {
  ingredients<Real> at{ingredient<stage>(f, current, 0)[node], {}};
#pragma unroll
  for (int n = 1; n < ingredients_of<stage>; ++n) at.k[n - 1] = ingredient<stage>(f, current, n)[node];
  return at;
}

// The field in which the stage stores its result.
template <int stage, class Real>
__device__ Real* result_of(const fields<Real>& f, int current) {
  if (stage == 0) return current == 0 ? f.k1[0] : f.k1[1];
  if (stage == 4) return current == 0 ? f.u[1] : f.u[0];
  return stage == 1 ? f.k2 : stage == 2 ? f.k3 : f.k4;
}

template <int stage, class Real>
__device__ Real argument(const ingredients<Real>& at, Real tau) {
  if constexpr (stage == 0) return at.u;
  if constexpr (stage == 1) return at.u + tau * (Real(1.0 / 3) * at.k[0]);
  if constexpr (stage == 2) return at.u + tau * (Real(1.0 / 6) * (at.k[0] + at.k[1]));
  if constexpr (stage == 3) return at.u + tau * (Real(.125) * at.k[0] + Real(.375) * at.k[1]);
  if constexpr (stage == 4) return at.u + tau * (Real(.5) * at.k[0] - Real(1.5) * at.k[1] + 2 * at.k[2]);
}

// The new surface at one node, (28).
template <class Real>
__device__ Real advanced(const ingredients<Real>& at, Real tau, Real k5) {
  return at.u + tau / 6 * (at.k[0] + 4 * at.k[2] + k5);
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
