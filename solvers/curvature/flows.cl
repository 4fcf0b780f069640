// SPDX-License-Identifier: MIT
// The complementary finite volume scheme and the forcing in OpenCL, at LANES neighbouring nodes of a row; follows
// stencil.hpp and manufactured.hpp.
// Build options: -D REAL=float or double, -D LANES=1, 2, 4, 8 or 16, -D WILLMORE for that flow.
// A field around the nodes is f[dy + 1][dx + 1].
// Constants are integers, or binary fractions in single precision, so they are exact in both precisions.
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

#if LANES == 1
typedef REAL real;
#define LOADED(from, at) (from)[at]
#define STORE(value, to, at) (to)[at] = (value)
#else
typedef JOINED(REAL, LANES) real;
#define LOADED(from, at) JOINED(vload, LANES)(0, (from) + (at))
#define STORE(value, to, at) JOINED(vstore, LANES)(value, 0, (to) + (at))
#endif

// A gradient at the midpoint of an edge between two nodes.
typedef struct {
  real x, y;
} slope;

// The edge from node (dx, 0) to its eastern neighbour: (40), (42) with (44)-(47).
inline slope slope_east(const real (*f)[3], const int dx, const REAL ihx, const REAL ihy) {
  const slope g = {(f[1][dx + 2] - f[1][dx + 1]) * ihx,
                   (f[2][dx + 1] + f[2][dx + 2] - f[0][dx + 1] - f[0][dx + 2]) * (0.25f * ihy)};
  return g;
}

// The edge from node (0, dy) to its northern neighbour: (41), (43).
inline slope slope_north(const real (*f)[3], const int dy, const REAL ihx, const REAL ihy) {
  const slope g = {(f[dy + 1][2] + f[dy + 2][2] - f[dy + 1][0] - f[dy + 2][0]) * (0.25f * ihx),
                   (f[dy + 2][1] - f[dy + 1][1]) * ihy};
  return g;
}

// Q, (36)-(39).
inline real stretch(const slope g) {
  return sqrt(1 + g.x * g.x + g.y * g.y);
}

// w = Q H, (48)-(50), which is also the right-hand side (17) of the mean-curvature flow without forcing.
inline real curvature_at(const real (*u)[3], const REAL ihx, const REAL ihy) {
  const slope east = slope_east(u, 0, ihx, ihy);
  const slope west = slope_east(u, -1, ihx, ihy);
  const slope north = slope_north(u, 0, ihx, ihy);
  const slope south = slope_north(u, -1, ihx, ihy);
  const real q_east = stretch(east);
  const real q_west = stretch(west);
  const real q_north = stretch(north);
  const real q_south = stretch(south);
  const real h = ihx * (east.x / q_east - west.x / q_west) + ihy * (north.y / q_north - south.y / q_south);
  return 0.25f * (q_east + q_north + q_west + q_south) * h;
}

#ifdef WILLMORE
// Fluxes through an edge along x and along y: the components of E grad w - w^2/(2 Q^3) grad u, (53).
inline real flux_x(const slope u, const slope w, const real w_edge, const real q) {
  return ((1 + u.y * u.y) * w.x - u.x * u.y * w.y - 0.5f * w_edge * w_edge * u.x) / (q * q * q);
}

inline real flux_y(const slope u, const slope w, const real w_edge, const real q) {
  return ((1 + u.x * u.x) * w.y - u.x * u.y * w.x - 0.5f * w_edge * w_edge * u.y) / (q * q * q);
}

// The right-hand side (21) without forcing, with the minus sign that is missing in print.
inline real willmore_at(const real (*u)[3], const real (*w)[3], const REAL ihx, const REAL ihy) {
  const slope east = slope_east(u, 0, ihx, ihy);
  const slope west = slope_east(u, -1, ihx, ihy);
  const slope north = slope_north(u, 0, ihx, ihy);
  const slope south = slope_north(u, -1, ihx, ihy);
  const real q_east = stretch(east);
  const real q_west = stretch(west);
  const real q_north = stretch(north);
  const real q_south = stretch(south);
  const real here = w[1][1];
  const real f_east = flux_x(east, slope_east(w, 0, ihx, ihy), 0.5f * (here + w[1][2]), q_east);
  const real f_west = flux_x(west, slope_east(w, -1, ihx, ihy), 0.5f * (here + w[1][0]), q_west);
  const real f_north = flux_y(north, slope_north(w, 0, ihx, ihy), 0.5f * (here + w[2][1]), q_north);
  const real f_south = flux_y(south, slope_north(w, -1, ihx, ihy), 0.5f * (here + w[0][1]), q_south);
  return -0.25f * (q_east + q_north + q_west + q_south) * (ihx * (f_east - f_west) + ihy * (f_north - f_south));
}
#endif

// F, as in manufactured.hpp: x[d] and y[d] are the d-th derivatives of the profile X along both axes, z is zeta, q is
// 1 / Q^2, b is p^T Z p / Q^2, c and rate are c and dc/dt.
inline real forcing_at(const real* x, const real* y, const REAL c, const REAL rate) {
  const real zx = c * x[1] * y[0], zy = c * x[0] * y[1];
  const real zxx = c * x[2] * y[0], zxy = c * x[1] * y[1], zyy = c * x[0] * y[2];
  const real q = 1 / (1 + zx * zx + zy * zy);
  const real trace = zxx + zyy;
#ifndef WILLMORE
  const real b = (zx * zx * zxx + 2 * zx * zy * zxy + zy * zy * zyy) * q;
  return rate * x[0] * y[0] - (trace - b);
#else
  const real zxxx = c * x[3] * y[0], zxxy = c * x[2] * y[1], zxyy = c * x[1] * y[2], zyyy = c * x[0] * y[3];
  const real zxxxx = c * x[4] * y[0], zxxxy = c * x[3] * y[1], zxxyy = c * x[2] * y[2], zxyyy = c * x[1] * y[3],
             zyyyy = c * x[0] * y[4];

  const real sx = 2 * (zx * zxx + zy * zxy);
  const real sy = 2 * (zx * zxy + zy * zyy);
  const real sxx = 2 * (zxx * zxx + zx * zxxx + zxy * zxy + zy * zxxy);
  const real sxy = 2 * (zxx * zxy + zx * zxxy + zxy * zyy + zy * zxyy);
  const real syy = 2 * (zxy * zxy + zx * zxyy + zyy * zyy + zy * zyyy);
  const real sxxx = 2 * (3 * zxx * zxxx + zx * zxxxx + 3 * zxy * zxxy + zy * zxxxy);
  const real sxxy = 2 * (2 * zxx * zxxy + zxy * zxxx + zx * zxxxy + 2 * zxy * zxyy + zyy * zxxy + zy * zxxyy);
  const real sxyy = 2 * (2 * zyy * zxyy + zxy * zyyy + zy * zxyyy + 2 * zxy * zxxy + zxx * zxyy + zx * zxxyy);
  const real syyy = 2 * (3 * zyy * zyyy + zy * zyyyy + 3 * zxy * zxyy + zx * zxyyy);

  const real b = 0.5f * (zx * sx + zy * sy) * q;
  const real ax = 0.5f * (zxx * sx + zx * sxx + zxy * sy + zy * sxy);
  const real ay = 0.5f * (zxy * sx + zx * sxy + zyy * sy + zy * syy);
  const real axx = 0.5f * (zxxx * sx + 2 * zxx * sxx + zx * sxxx + zxxy * sy + 2 * zxy * sxy + zy * sxxy);
  const real axy =
      0.5f * (zxxy * sx + zxx * sxy + zxy * sxx + zx * sxxy + zxyy * sy + zxy * syy + zyy * sxy + zy * sxyy);
  const real ayy = 0.5f * (zxyy * sx + 2 * zxy * sxy + zx * sxyy + zyyy * sy + 2 * zyy * syy + zy * syyy);
  const real bx = (ax - b * sx) * q;
  const real by = (ay - b * sy) * q;
  const real bxx = (axx - 2 * bx * sx - b * sxx) * q;
  const real bxy = (axy - bx * sy - by * sx - b * sxy) * q;
  const real byy = (ayy - 2 * by * sy - b * syy) * q;

  const real w = trace - b;
  const real wx = zxxx + zxyy - bx;
  const real wy = zxxy + zyyy - by;
  const real wxx = zxxxx + zxxyy - bxx;
  const real wxy = zxxxy + zxyyy - bxy;
  const real wyy = zxxyy + zyyyy - byy;
  const real bending = (1 + zy * zy) * wxx - 2 * zx * zy * wxy + (1 + zx * zx) * wyy;
  const real turning = wx * (zx * (3 * b - trace) - sx) + wy * (zy * (3 * b - trace) - sy);
  const real stretching = w * (wx * zx + wy * zy) + 0.5f * w * w * (w - 2 * b);
  return rate * x[0] * y[0] + q * (bending + turning - stretching);
#endif
}

// The larger of two values, or NaN if one is NaN. fmax would drop the NaN, and a blow-up would pass for success.
inline REAL larger(const REAL a, const REAL b) {
  return a >= b || isnan(a) ? a : b;
}
