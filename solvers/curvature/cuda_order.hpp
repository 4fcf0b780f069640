// SPDX-License-Identifier: MIT
// The largest of many magnitudes on the device, as a maximum of their bits. The bits of non-negative numbers
// have the same order as the numbers, with infinity and NaN last. The maximum therefore keeps infinity and
// NaN, whereas fmax drops NaN.
#pragma once

#include "solvers/common/cuda/cuda.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

__device__ inline unsigned long long bits_of(double magnitude) {
  return static_cast<unsigned long long>(__double_as_longlong(magnitude));
}

__device__ inline double magnitude_of(unsigned long long bits) {
  return __longlong_as_double(static_cast<long long>(bits));
}

__device__ inline unsigned long long larger(unsigned long long a, unsigned long long b) {
  return a > b ? a : b;
}

// Returns the maximum over a full warp to all of its lanes.
__device__ inline unsigned long long largest_of_warp(unsigned long long bits) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    bits = larger(bits, __shfl_xor_sync(0xffffffffU, bits, distance));
  return bits;
}

// |k1/5 - 9 k3/10 + 4 k4/5 - k5/10| of (27), without its factor tau/3.
template <class Real>
__device__ inline double error_at(Real k1, Real k3, Real k4, Real k5) {
  return static_cast<double>(std::abs(Real(.2) * k1 - Real(.9) * k3 + Real(.8) * k4 - Real(.1) * k5));
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
