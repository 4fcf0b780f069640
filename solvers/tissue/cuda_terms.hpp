// SPDX-License-Identifier: MIT
// The usual terms in arithmetic without branches. The compiler can then interleave the cells of a thread and
// keep the constants that they share. The library's exponential and division each contain a branch for
// special numbers, which never occur here but would keep the cells apart.
#pragma once

#include <type_traits>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/exponential.hpp"
#include "solvers/common/cuda/cuda.hpp"
#include "solvers/tissue/models.hpp"

namespace reprise::tissue {
inline namespace REPRISE_CUDA_FLAVOUR {

template <class Real>
struct straight_terms;

// By the device's own power and inverse, both good to two units in the last place.
template <>
struct straight_terms<float> : usual_terms_in<float> {
  __device__ __forceinline__ float rising(float a, float x) const {
    constexpr float log2_of_e = 1.44269504F;
    return inverse(1 + exp2(-2 * log2_of_e * a * x));
  }

  __device__ __forceinline__ static float inverse(float x) {
#ifdef REPRISE_CUDA_EMULATED
    return 1 / x;
#else
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    return inverse;
#endif
  }

  __device__ __forceinline__ static float exp2(float x) {
#ifdef REPRISE_CUDA_EMULATED
    return std::exp2(x);
#else
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
#endif
  }
};

template <>
struct straight_terms<double> : usual_terms_in<double> {
  __device__ __forceinline__ double rising(double a, double x) const {
    return cuda::quick_inverse(1 + bounded_exp(-2 * a * x));
  }

 private:
  // exp(x) to a unit in the last place for |x| < 690; beyond that, the exponent is clamped. For |x| > 2^51
  // the result is arbitrary or NaN; a tissue counts as unstable long before.
  __device__ __forceinline__ static double bounded_exp(double x) {
    constexpr double magic = 6755399441055744.;  // 1.5 * 2^52: adding it rounds to an integer
    const double shifted = x * 1.4426950408889634 + magic;
    const double n = shifted - magic;
    const double r = x - n * 6.93147180369123816490e-01 - n * 1.90821492927058770002e-10;
    const double series = exponential_tail<double>(r) * r + 1;
    constexpr int most = 996;
    const int whole = max(-most, min(most, __double2loint(shifted)));
    const unsigned scaled =
        static_cast<unsigned>(__double2hiint(series)) + (static_cast<unsigned>(whole) << 20);
    return __hiloint2double(static_cast<int>(scaled), __double2loint(series));
  }
};

// The terms with which a kernel computes if a problem asks for Terms.
template <class Real, class Terms>
using device_terms = std::conditional_t<std::is_same_v<Terms, usual_terms>, straight_terms<Real>, Terms>;

template <class Real, class Terms>
__device__ __forceinline__ device_terms<Real, Terms> device_terms_as(const chosen_terms& t) {
  if constexpr (std::is_same_v<Terms, usual_terms>)
    return {{static_cast<Real>(t.k)}};
  else
    return t;
}

// Kernels in single precision have the paper's terms alone: those of other switches would take half as long again to
// compile, and no experiment asks for them.
template <class Real, class Terms>
constexpr bool has_kernel = std::is_same_v<Real, double> || std::is_same_v<Terms, usual_terms>;

template <class Real>
void require_kernel(const problem& p) {
  if (!has_kernel<Real, chosen_terms> && !has_usual_terms(p))
    throw unavailable("has the paper's switch and terms alone in single precision");
}

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::tissue
