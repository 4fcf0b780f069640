// SPDX-License-Identifier: MIT
// The device's own inverse, exponential and logarithm, good to two units in the last place.
#pragma once

#include <cmath>

#include "solvers/common/base/host_device.hpp"

namespace reprise::atrium {

namespace fast {
REPRISE_HOST_DEVICE inline float inverse(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return 1 / x;
#endif
}
REPRISE_HOST_DEVICE inline float exp2(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::exp2(x);
#endif
}
REPRISE_HOST_DEVICE inline float log2(float x) {
#ifdef __CUDA_ARCH__
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
#else
  return std::log2(x);
#endif
}
constexpr float log2_of_e = 1.44269504F;
constexpr float ln2 = .69314718F;
}  // namespace fast

// 1 - exp(-x), by its series where the difference would lose digits.
REPRISE_HOST_DEVICE inline float decay_of(float x) {
  const float low = 1 - .5F * x;
  const float high = (1.F / 6 - x * (1.F / 24)) + x * x * (1.F / 120);
  const float series = x * (low + x * x * high);
  return x < .25F ? series : 1 - fast::exp2(-x * fast::log2_of_e);
}

}  // namespace reprise::atrium
