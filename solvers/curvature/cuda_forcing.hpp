// SPDX-License-Identifier: MIT
// The forcing of the Willmore flow at a node that is evaluated at many times: a rational function of c.
// Formula: with C = c^2, s = |grad zeta|^2 / C and S = Q^2 = 1 + C s, S^4 (F - zeta_t) / c is a polynomial of degree 4
// in C. For w S / c has degree 1, each derivative adds a factor S and a degree, and no term of F has more than S^4
// below it. The values at five C determine it.
#pragma once

#include <cmath>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/curvature/manufactured.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

// 1 / s for s >= 1, without the special cases of a general division.
__device__ inline float inverse_of(float s) {
  return 1 / s;
}
__device__ inline double inverse_of(double s) {
  return cuda::quick_inverse(s);
}

template <class Real>
struct forcing_series {
  static constexpr int terms = 5;
  static constexpr int words = terms + 2;

  Real zeta;       // at c = 1
  Real steepness;  // s
  Real d[terms];   // divided differences of the polynomial

  // Where in C the polynomial is known: Chebyshev's points of [0, 1].
  __device__ static constexpr double known_at(int k) {
    constexpr double points[terms]{.024471741852423234, .20610737385376343, .5, .79389262614623657,
                                   .97552825814757677};
    return points[k];
  }

  __device__ Real at(phase<Real> time) const {
    const Real square = time.c * time.c;
    const Real q = inverse_of(1 + square * steepness);
    Real sum = d[terms - 1];
#pragma unroll
    for (int k = terms - 2; k >= 0; --k) sum = d[k] + sum * (square - Real(known_at(k)));
    return time.rate * zeta + time.c * sum * ((q * q) * (q * q));
  }
};

__device__ inline forcing_series<double> series_of(const profile<double>& x, const profile<double>& y) {
  constexpr int terms = forcing_series<double>::terms;
  forcing_series<double> f;
  const double zx = x.d[1] * y.d[0];
  const double zy = x.d[0] * y.d[1];
  f.zeta = x.d[0] * y.d[0];
  f.steepness = zx * zx + zy * zy;
  for (int k = 0; k < terms; ++k) {
    const double c = std::sqrt(f.known_at(k));
    const double s = 1 + f.known_at(k) * f.steepness;
    f.d[k] = forcing_willmore(x, y, phase<double>{c, 0}) / c * (s * s) * (s * s);
  }
  for (int order = 1; order < terms; ++order)
    for (int k = terms - 1; k >= order; --k)
      f.d[k] = (f.d[k] - f.d[k - 1]) / (f.known_at(k) - f.known_at(k - order));
  return f;
}

template <class Real>
__device__ profile<double> widened(const profile<Real>& p) {
  profile<double> wide;
  for (int k = 0; k < 5; ++k) wide.d[k] = p.d[k];
  return wide;
}

// Writes the series of all nodes, one word of each node after the other.
template <class Real>
__global__ void expand_forcing(const profile<Real>* zeta_x, const profile<Real>* zeta_y, int nx, int ny,
                               Real* words) {
  const int nodes = nx * ny;
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= nodes) return;
  const forcing_series<double> f = series_of(widened(zeta_x[node % nx]), widened(zeta_y[node / nx]));
  words[node] = static_cast<Real>(f.zeta);
  words[node + nodes] = static_cast<Real>(f.steepness);
  for (int k = 0; k < f.terms; ++k) words[node + (k + 2) * nodes] = static_cast<Real>(f.d[k]);
}

// The series of a node, whose words are `stride` apart.
template <class Real>
__device__ forcing_series<Real> series_from(const Real* words, int stride) {
  forcing_series<Real> f;
  f.zeta = words[0];
  f.steepness = words[stride];
#pragma unroll
  for (int k = 0; k < f.terms; ++k) f.d[k] = words[(k + 2) * stride];
  return f;
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
