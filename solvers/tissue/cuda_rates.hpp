// SPDX-License-Identifier: MIT
// The local terms as cuda_streamed computes them. A field's rate is left without its time constant, by which the
// kernel multiplies the step instead.
#pragma once

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/tissue/cuda_terms.hpp"
#include "solvers/tissue/models.hpp"

namespace reprise::tissue {
inline namespace REPRISE_CUDA_FLAVOUR {

// 2^t and 1 / x of the device, good to two units in the last place.
__device__ __forceinline__ float power_of_two(float t) {
#ifdef REPRISE_CUDA_EMULATED
  return std::exp2(t);
#else
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(t));
  return power;
#endif
}
__device__ __forceinline__ float inverse(float x) {
#ifdef REPRISE_CUDA_EMULATED
  return 1 / x;
#else
  float inverse;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
  return inverse;
#endif
}

// 2^t to three units in the last place for |t| < 996; beyond that, the exponent is clamped. For |t| > 2^31 the
// result is arbitrary or NaN; a tissue counts as unstable long before.
__device__ __forceinline__ double power_of_two(double t) {
  constexpr double magic = 6755399441055744.;  // 1.5 * 2^52: adding it rounds to an integer
  const double shifted = t + magic;
  const double r = t - (shifted - magic);
  // Fitted on |r| < 1/2 for the least relative error, 3e-16.
  double series = 7.111757814228191e-09;
  series = fma(series, r, 1.0210506439984577e-07);
  series = fma(series, r, 1.321523563986699e-06);
  series = fma(series, r, 1.5252647747796307e-05);
  series = fma(series, r, 0.00015403530800808183);
  series = fma(series, r, 0.001333355824648055);
  series = fma(series, r, 0.009618129107380722);
  series = fma(series, r, 0.05550410866434659);
  series = fma(series, r, 0.24022650695910472);
  series = fma(series, r, 0.6931471805599516);
  series = fma(series, r, 1.);
  constexpr int most = 996;
  const int whole = max(-most, min(most, __double2loint(shifted)));
  const unsigned scaled =
      static_cast<unsigned>(__double2hiint(series)) + (static_cast<unsigned>(whole) << 20);
  return __hiloint2double(static_cast<int>(scaled), __double2loint(series));
}

// 1 / x to a unit in the last place, for x that is neither subnormal nor infinite.
__device__ __forceinline__ double inverse(double x) {
  const double rough = cuda::rough_inverse(x);
  const double error = fma(-x, rough, 1.);
  return fma(rough, fma(error, error, error), rough);
}

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
  Real k, offset;

  explicit streamed_rates(Real steepness) : k(steepness), offset(Real(.5) - steepness) {}
  static constexpr double time_constant(int field) { return field == 0 ? 2.5 : 250; }

  __device__ __forceinline__ void local(const Real* here, Real* rate) const {
    constexpr double two_log2_of_e = 2.8853900817779268;
    constexpr auto b = Real(1.5819767068693264);  // 1 / (1 - exp(-Re)), Re = 1
    const Real u = here[0];
    const Real v = here[1];
    const Real falling = inverse(1 + power_of_two(fma(Real(two_log2_of_e), u, Real(-3 * two_log2_of_e))));
    const Real v2 = v * v;
    rate[0] = fma(u * u * falling, fma(-v2, v2 * v2, Real(1.5415)), -u);
    const Real y = clipped(fma(k, u, offset));
    rate[1] = fma(y * y, fma(-2 * b, y, 3 * b), -v);
  }
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::tissue
