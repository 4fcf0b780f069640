// SPDX-License-Identifier: MIT
// The local terms as cuda_streamed computes them. A field's rate is left without its time constant, by which the
// kernel multiplies the step instead.
#pragma once

#include <cmath>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/tissue/cuda_terms.hpp"
#include "solvers/tissue/models.hpp"

namespace reprise::tissue {
inline namespace REPRISE_CUDA_FLAVOUR {

// 1 / (1 + 2^t)
template <class Real>
struct falling_power;

template <>
struct falling_power<float> {
  __device__ __forceinline__ float operator()(float t) const {
    using device = straight_terms<float>;
    return device::inverse(1 + device::exp2(t));
  }
};

// To a few units in the last place. The exponent of two is clamped at 960 on either side. For |t| > 2^31 the result is
// arbitrary or NaN; a tissue counts as unstable long before.
//
// The numbers are parameters of the kernel, because literals of 64 bits would be moved to registers for each row.
template <>
struct falling_power<double> {
  static constexpr int most = 960;
  // Adding 1.5 * 2^52 rounds to an integer. The power's exponent plus `most` is not negative.
  double rounding = 6755399441055744. + most;
  // Polynomial for 2^r, fitted on |r| < 1/2 for the least relative error, 3e-16; times 2^-most.
  double series[11]{1,
                    0.6931471805599516,
                    0.24022650695910472,
                    0.05550410866434659,
                    0.009618129107380722,
                    0.001333355824648055,
                    0.00015403530800808183,
                    1.5252647747796307e-05,
                    1.321523563986699e-06,
                    1.0210506439984577e-07,
                    7.111757814228191e-09};

  falling_power() {
    for (double& fitted : series) fitted = std::ldexp(fitted, -most);
  }

  __device__ __forceinline__ double operator()(double t) const {
    const double shifted = t + rounding;
    const double r = t - (shifted - rounding);
    double power = series[10];
#pragma unroll
    for (int n = 9; n >= 0; --n) power = fma(power, r, series[n]);
    const int exponent = max(0, min(2 * most, __double2loint(shifted)));
    const unsigned scaled =
        static_cast<unsigned>(__double2hiint(power)) + (static_cast<unsigned>(exponent) << 20);
    return cuda::quick_inverse(1 + __hiloint2double(static_cast<int>(scaled), __double2loint(power)));
  }
};

// x between 0 and 1. A comparison of doubles would take the time of two operations, one of integers costs nothing
// beside them. What lies below 0 becomes 0 or a subnormal number.
__device__ __forceinline__ double clipped(double x) {
  constexpr int one = 0x3ff00000;
  const int high = __double2hiint(x);
  return __hiloint2double(max(0, min(one, high)), high < one ? __double2loint(x) : 0);
}
__device__ __forceinline__ float clipped(float x) {
#ifdef REPRISE_CUDA_EMULATED
  return x < 0 ? 0 : x > 1 ? 1 : x;
#else
  return __saturatef(x);
#endif
}

// The rates of the fields of one cell, for one model with the paper's switch and terms.
template <class Real, class Model>
struct streamed_rates {
  straight_terms<Real> terms;

  explicit streamed_rates(Real k) : terms{{k}} {}
  static constexpr double time_constant(int) { return 1; }

  __device__ __forceinline__ void local(const Real* here, Real* rate) const {
    Model::local_terms(terms, Real(0), here, rate);
  }
};

// (1 - tanh(u - 3)) / 2 is 1 / (1 + 2^t), and the switch's place in its layer is k u + (1/2 - k), with one rounding
// where the usual terms have three.
template <class Real>
struct streamed_rates<Real, karma> {
  static constexpr double two_log2_of_e = 2.8853900817779268;
  static constexpr double rest = 1.5819767068693264;  // b = 1 / (1 - exp(-Re)), Re = 1
  Real k, offset;
  Real slope = Real(two_log2_of_e), middle = Real(-3 * two_log2_of_e);
  Real threshold = Real(1.5415), rest_2 = Real(-2 * rest), rest_3 = Real(3 * rest);
  falling_power<Real> falling;

  explicit streamed_rates(Real steepness) : k(steepness), offset(Real(.5) - steepness) {}
  static constexpr double time_constant(int field) { return field == 0 ? 2.5 : 250; }

  __device__ __forceinline__ void local(const Real* here, Real* rate) const {
    const Real u = here[0];
    const Real v = here[1];
    const Real v2 = v * v;
    rate[0] = fma(u * u * falling(fma(slope, u, middle)), fma(-v2, v2 * v2, threshold), -u);
    const Real y = clipped(fma(k, u, offset));
    rate[1] = fma(y * y, fma(rest_2, y, rest_3), -v);
  }
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::tissue
