// SPDX-License-Identifier: MIT
// A member of a study by node: tables, rows of the implicit matrix, and the right-hand side of a step. Shared by the
// kernel that gives a member a block (cuda_study) and the variant that leaves the systems to a library (cusparse_study).
// Formula: the step of imex.hpp.
#pragma once

#include <limits>

#include "solvers/angiogenesis/cuda_study_warp.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "solvers/common/cuda/cuda.hpp"

namespace reprise::angiogenesis {
inline namespace REPRISE_CUDA_FLAVOUR {

// The block's threads share the nodes. Each table, and each field of a state, has `rows` values.
struct member_terms {
  static constexpr int tables = 4;

  const study_data& all;
  const angiogenesis::parameters& parameters;
  double* values;  // of the tables
  int rows;
  double h;

  __device__ member_terms(const study_data& s, int member, double* of_tables, int rows_of_table)
      : all(s), parameters(s.with[member]), values(of_tables), rows(rows_of_table), h(1.0 / (s.nodes - 1)) {}

  __device__ double* table(int which) const { return values + which * rows; }
  __device__ double* tumour_factor() const { return table(0); }
  __device__ double* growth() const { return table(1); }  // a3 / (1 + a4 T)
  __device__ double* psi() const { return table(2); }     // T_x / (1 + a4 T)
  __device__ double* psi_x() const { return table(3); }

  // Calls body(k) for each k < count that belongs to this thread.
  template <class Body>
  __device__ void for_nodes(int count, Body body) const {
    for (int k = static_cast<int>(threadIdx.x); k < count; k += static_cast<int>(blockDim.x)) body(k);
  }

  __device__ void make_tables() const {
    for_nodes(all.nodes, [&](int k) {
      const double ahead = 1 - k * h;
      const double t = exp(-ahead * ahead / parameters.eps);
      const double s = 2 * ahead / parameters.eps;
      const double divisor = 1 + parameters.a4 * t;
      tumour_factor()[k] = t;
      growth()[k] = parameters.a3 / divisor;
      psi()[k] = s * t / divisor;
      psi_x()[k] = t / divisor * (s * s / divisor - 2 / parameters.eps);
    });
  }

  // The diffusion coefficient of system 0 (C), 1 (P) or 2 (I).
  __device__ double diffusion(int system) const {
    return system == 0 ? parameters.d_c : system == 1 ? parameters.d_p : parameters.d_i;
  }
  __device__ double half_step_over_h2() const { return all.dt / 2 / (h * h); }

  // Row k of A in one system.
  __device__ row_of_three row(int system, int k) const {
    if (k >= all.nodes) return {0, 1, 0};
    const double r = half_step_over_h2() * diffusion(system);
    const double decay = system == 1 ? all.dt / 2 * parameters.k6 : 0;
    return {k == 0               ? 0
            : k == all.nodes - 1 ? -2 * r
                                 : -r,
            1 + 2 * r + decay,
            k == all.nodes - 1 ? 0
            : k == 0           ? -2 * r
                               : -r};
  }
  __device__ double coupling(int k) const { return -all.dt / 2 * parameters.k4 * tumour_factor()[k]; }
};

// A node with its neighbours. Beyond an end the neighbour is the inner one, so G is
// zero there and Lap is doubled.
struct stencil {
  int before, here, after;
  double of_slope, of_bend;  // 1 / (2 h) and 1 / h^2

  __device__ double slope(const double* u) const { return (u[after] - u[before]) * of_slope; }
  __device__ double bend(const double* u) const { return (u[before] - 2 * u[here] + u[after]) * of_bend; }
  // (f u_x)_x with f = g c, by the product rule.
  __device__ double nodal(const double* c, const double* g, const double* u) const {
    return (c[after] * g[after] - c[before] * g[before]) * of_slope * slope(u) + c[here] * g[here] * bend(u);
  }
  __device__ double nodal(const double* c, const double* u) const {
    return slope(c) * slope(u) + c[here] * bend(u);
  }
  // (f u_x)_x as a difference of fluxes. At an end the mirrored flux accounts for the
  // half cell and the closed wall.
  __device__ double conservative(double f_before, double f_here, double f_after, const double* u) const {
    return ((f_here + f_after) / 2 * (u[after] - u[here]) - (f_before + f_here) / 2 * (u[here] - u[before])) *
           of_bend;
  }
  __device__ double conservative(const double* c, const double* u) const {
    return conservative(c[before], c[here], c[after], u);
  }
};

// The contribution of taxis to the rate of C.
__device__ inline double taxis_at(const member_terms& m, const stencil& at, const double* u) {
  const double* const c = u;
  const double* const i = u + 2 * m.rows;
  const double* const f = u + 3 * m.rows;
  const double* const g = m.growth();
  const double* const t = m.tumour_factor();
  if (m.all.reading == taxis::conservative)
    return m.parameters.a2 * at.conservative(c, i) - m.parameters.a1 * at.conservative(c, f) -
           at.conservative(c[at.before] * g[at.before], c[at.here] * g[at.here], c[at.after] * g[at.after],
                           t);
  const double others = m.parameters.a2 * at.nodal(c, i) - m.parameters.a1 * at.nodal(c, f);
  if (m.all.reading == taxis::nodal) return others - at.nodal(c, g, t);
  return others - m.parameters.a3 * (m.psi_x()[at.here] * c[at.here] + m.psi()[at.here] * at.slope(c));
}

// Computes B U + dt N(U) at node k.
__device__ inline void make_right_side(const member_terms& m, int k, const double* u, double* right) {
  const int last = m.all.nodes - 1;
  const stencil at{k == 0 ? 1 : k - 1, k, k == last ? last - 1 : k + 1, last / 2.0, 1.0 * last * last};
  const double half = m.all.dt / 2, dt = m.all.dt;
  const double c = u[k], p = u[m.rows + k], i = u[2 * m.rows + k], f = u[3 * m.rows + k];
  const double t = m.tumour_factor()[k];
  const angiogenesis::parameters& parameters = m.parameters;
  const double loss = parameters.k3 * p * i;
  right[k] = c + half * parameters.d_c * at.bend(u) + dt * (taxis_at(m, at, u) + parameters.k1 * c * (1 - c));
  right[m.rows + k] =
      p + half * (parameters.d_p * at.bend(u + m.rows) - parameters.k6 * p + parameters.k4 * t * c) +
      dt * (parameters.k5 * t - loss);
  right[2 * m.rows + k] = i + half * parameters.d_i * at.bend(u + 2 * m.rows) - dt * loss;
  right[3 * m.rows + k] = f - dt * parameters.k2 * p * f;
}

constexpr double largest_number = std::numeric_limits<double>::max();

// Computes max(U', 0). Returns false if the value is not finite.
__device__ inline bool clip(double& value) {
  const bool is_finite = fabs(value) <= largest_number;
  if (value < 0) value = 0;
  return is_finite;
}

inline study_answer downloaded(const cuda::buffer<double>& states, const cuda::buffer<int>& steps_done) {
  study_answer all{std::vector<double>(states.size()), std::vector<int>(steps_done.size())};
  states.download(all.states.data(), all.states.size());
  steps_done.download(all.steps.data(), all.steps.size());
  return all;
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::angiogenesis
