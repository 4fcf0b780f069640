// SPDX-License-Identifier: MIT
// The manufactured solution and the forcing that makes it exact, for the host and for the device.
// Place: (30) with n = r = sigma = 1, values that the paper does not give.
// Formula: zeta = c(t) X(x) X(y) with c = cos(pi t) and X(s) = (s - 1) exp(-s^2). The forcing is
// F = zeta_t - w for the mean-curvature flow and F = zeta_t + Q div(E grad w - w^2/(2 Q^3) grad zeta) for the
// Willmore flow, with w = Q div(grad zeta / Q). All derivatives follow by the product rule from
// S = Q^2 = 1 + |p|^2 with p = grad zeta, and b = p^T Z p / S.
#pragma once

#include <cmath>
#include <numbers>

#include "solvers/common/base/host_device.hpp"

namespace reprise::curvature {

// X and its first four derivatives at one coordinate.
template <class Real>
struct profile {
  Real d[5];
};

template <class Real>
REPRISE_HOST_DEVICE inline profile<Real> profile_at(Real s) {
  const Real e = std::exp(-s * s);
  return {{(s - 1) * e, ((-2 * s + 2) * s + 1) * e, (((4 * s - 4) * s - 6) * s + 2) * e,
           ((((-8 * s + 8) * s + 24) * s - 12) * s - 6) * e,
           (((((16 * s - 16) * s - 80) * s + 48) * s + 60) * s - 12) * e}};
}

// c and dc/dt.
template <class Real>
struct phase {
  Real c, rate;
};

REPRISE_HOST_DEVICE inline phase<double> phase_at(double t) {
  constexpr double pi = std::numbers::pi;
#ifdef __CUDA_ARCH__
  return {cospi(t), -pi * sinpi(t)};
#else
  return {std::cos(pi * t), -pi * std::sin(pi * t)};
#endif
}

template <class Real>
REPRISE_HOST_DEVICE inline Real forcing_mean_curvature(const profile<Real>& x, const profile<Real>& y,
                                                       phase<Real> at) {
  const Real zx = at.c * x.d[1] * y.d[0];
  const Real zy = at.c * x.d[0] * y.d[1];
  const Real zxx = at.c * x.d[2] * y.d[0];
  const Real zxy = at.c * x.d[1] * y.d[1];
  const Real zyy = at.c * x.d[0] * y.d[2];
  const Real s = 1 + zx * zx + zy * zy;
  const Real a = zx * zx * zxx + 2 * zx * zy * zxy + zy * zy * zyy;
  return at.rate * x.d[0] * y.d[0] - (zxx + zyy - a / s);
}

template <class Real>
REPRISE_HOST_DEVICE inline Real forcing_willmore(const profile<Real>& x, const profile<Real>& y,
                                                 phase<Real> at) {
  const Real zx = at.c * x.d[1] * y.d[0];
  const Real zy = at.c * x.d[0] * y.d[1];
  const Real zxx = at.c * x.d[2] * y.d[0];
  const Real zxy = at.c * x.d[1] * y.d[1];
  const Real zyy = at.c * x.d[0] * y.d[2];
  const Real zxxx = at.c * x.d[3] * y.d[0];
  const Real zxxy = at.c * x.d[2] * y.d[1];
  const Real zxyy = at.c * x.d[1] * y.d[2];
  const Real zyyy = at.c * x.d[0] * y.d[3];
  const Real zxxxx = at.c * x.d[4] * y.d[0];
  const Real zxxxy = at.c * x.d[3] * y.d[1];
  const Real zxxyy = at.c * x.d[2] * y.d[2];
  const Real zxyyy = at.c * x.d[1] * y.d[3];
  const Real zyyyy = at.c * x.d[0] * y.d[4];

  const Real sx = 2 * (zx * zxx + zy * zxy);
  const Real sy = 2 * (zx * zxy + zy * zyy);
  const Real sxx = 2 * (zxx * zxx + zx * zxxx + zxy * zxy + zy * zxxy);
  const Real sxy = 2 * (zxx * zxy + zx * zxxy + zxy * zyy + zy * zxyy);
  const Real syy = 2 * (zxy * zxy + zx * zxyy + zyy * zyy + zy * zyyy);
  const Real sxxx = 2 * (3 * zxx * zxxx + zx * zxxxx + 3 * zxy * zxxy + zy * zxxxy);
  const Real sxxy = 2 * (2 * zxx * zxxy + zxy * zxxx + zx * zxxxy + 2 * zxy * zxyy + zyy * zxxy + zy * zxxyy);
  const Real sxyy = 2 * (2 * zyy * zxyy + zxy * zyyy + zy * zxyyy + 2 * zxy * zxxy + zxx * zxyy + zx * zxxyy);
  const Real syyy = 2 * (3 * zyy * zyyy + zy * zyyyy + 3 * zxy * zxyy + zx * zxyyy);

  // a = p^T Z p is half of p . grad S, and b = a / S.
  const Real q = 1 / (1 + zx * zx + zy * zy);
  const Real half = Real(.5);
  const Real b = half * (zx * sx + zy * sy) * q;
  const Real ax = half * (zxx * sx + zx * sxx + zxy * sy + zy * sxy);
  const Real ay = half * (zxy * sx + zx * sxy + zyy * sy + zy * syy);
  const Real axx = half * (zxxx * sx + 2 * zxx * sxx + zx * sxxx + zxxy * sy + 2 * zxy * sxy + zy * sxxy);
  const Real axy =
      half * (zxxy * sx + zxx * sxy + zxy * sxx + zx * sxxy + zxyy * sy + zxy * syy + zyy * sxy + zy * sxyy);
  const Real ayy = half * (zxyy * sx + 2 * zxy * sxy + zx * sxyy + zyyy * sy + 2 * zyy * syy + zy * syyy);
  const Real bx = (ax - b * sx) * q;
  const Real by = (ay - b * sy) * q;
  const Real bxx = (axx - 2 * bx * sx - b * sxx) * q;
  const Real bxy = (axy - bx * sy - by * sx - b * sxy) * q;
  const Real byy = (ayy - 2 * by * sy - b * syy) * q;

  const Real trace = zxx + zyy;
  const Real w = trace - b;
  const Real wx = zxxx + zxyy - bx;
  const Real wy = zxxy + zyyy - by;
  const Real wxx = zxxxx + zxxyy - bxx;
  const Real wxy = zxxxy + zxyyy - bxy;
  const Real wyy = zxxyy + zyyyy - byy;
  const Real bending = (1 + zy * zy) * wxx - 2 * zx * zy * wxy + (1 + zx * zx) * wyy;
  const Real turning = wx * (zx * (3 * b - trace) - sx) + wy * (zy * (3 * b - trace) - sy);
  const Real stretching = w * (wx * zx + wy * zy) + half * w * w * (w - 2 * b);
  return at.rate * x.d[0] * y.d[0] + q * (bending + turning - stretching);
}

}  // namespace reprise::curvature
