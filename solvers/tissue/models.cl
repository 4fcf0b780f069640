// SPDX-License-Identifier: MIT
// The right-hand sides of the three models at one cell, for the OpenCL variants.
// Place: (3), (4), (5), (6) and the smoothed step of section 2; parameters of Bueno-Orovio's epicardial set.
// Field f of cell (i, j) is element f nx ny + j nx + i of a state. k is the switch's steepness.
// Build options:
//   -D SINGLE if REAL is float
//   -D REAL=float  or double
//   -D MODEL=0 FitzHugh-Nagumo, 1 Karma, 2 Bueno-Orovio
//   -D FORM=0 ... 6, the switch's form: Heaviside, linear, cubic, quintic, septic, nonic, tanh
//   -D BORDER=0 no_flux, 1 mirrored, 2 periodic
//   -D GATES=0 gates by their rates like any other field, 1 by implicit Euler, 2 by Rush-Larsen
//   -D SHARP, -D REPLACES_TANH, -D POWERS if the problem sets these options
//   -D LANES=4  the terms of vectors of 1, 2, 4, 8 or 16 cells; without it, of single cells
//   -D LEAN  tanh by an exponential, division by a constant as a product with its inverse: equal to rounding
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifndef LANES
#define LANES 1
#endif
#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)
// A constant of the text in the precision of REAL. A vector of float times a double is no OpenCL.
#ifdef SINGLE
#define R(constant) JOINED(constant, f)
#else
#define R(constant) constant
#endif
#if LANES == 1
typedef REAL real;
#define CHOSEN(condition, a, b) ((condition) ? (a) : (b))
#define LOADED(from, at) (from)[at]
#define STORE(value, to, at) (to)[at] = (value)
#else
typedef JOINED(REAL, LANES) real;
#define CHOSEN(condition, a, b) select((real)(b), (real)(a), condition)
#define LOADED(from, at) JOINED(vload, LANES)(0, (from) + (at))
#define STORE(value, to, at) JOINED(vstore, LANES)(value, 0, (to) + (at))
#endif

#if MODEL == 0
#define FIELDS 2
#define DIFFUSING 2
#elif MODEL == 1
#define FIELDS 2
#define DIFFUSING 1
#else
#define FIELDS 4
#define DIFFUSING 1
#endif

// The cell whose value is used at index i, anywhere along an axis of n cells: see cells.hpp.
int folded(const int i, const int n) {
#if BORDER == 0
  const int period = 2 * n;
  const int mirror = 2 * n - 1;
#elif BORDER == 1
  const int period = 2 * n - 2;
  const int mirror = 2 * n - 2;
#else
  const int period = n;
  const int mirror = n;
#endif
  const int m = (i % period + period) % period;
  return m < n ? m : mirror - m;
}

// 6 dx^2 times the Laplacian of (6): weight 4 along the axes, 1 along the diagonals, -20 at the
// centre. Written so that each product is exact: the Laplacian of a constant is then zero with or
// without fused multiply-adds.
REAL weighted_sum(global const REAL* field, const int cell, const int nx, const int ny) {
  const int i = cell % nx;
  const int j = cell / nx;
  const int west = i > 0 ? i - 1 : folded(-1, nx);
  const int east = i < nx - 1 ? i + 1 : folded(nx, nx);
  global const REAL* here = field + j * nx;
  global const REAL* south = field + (j > 0 ? j - 1 : folded(-1, ny)) * nx;
  global const REAL* north = field + (j < ny - 1 ? j + 1 : folded(ny, ny)) * nx;
  const REAL axial = (here[west] + here[east]) + (south[i] + north[i]);
  const REAL diagonal = (south[west] + south[east]) + (north[west] + north[east]);
  return 4 * (axial - 4 * here[i]) + (diagonal - 4 * here[i]);
}

// The position y in the layer of the switch H, from 0 to 1. Comparisons, unlike clamp, propagate NaN.
real layer(const REAL k, const real x) {
  const real raw = k * x + R(.5);
  return CHOSEN(raw < 0, 0, CHOSEN(raw > 1, 1, raw));
}

real heaviside(const real x) {
  return CHOSEN(x > 0, 1, CHOSEN(x < 0, 0, R(.5)));
}

real cubic(const REAL k, const real x) {
  const real y = layer(k, x);
  return y * y * (3 - 2 * y);
}

real switched(const REAL k, const real x) {
#if FORM == 0
  return heaviside(x);
#elif FORM == 2
  return cubic(k, x);
#elif FORM == 6
  return R(.5) * (1 + tanh(3 * (k * x)));
#else
  const real y = layer(k, x);
#if FORM == 1
  return y;
#elif FORM == 3
  return y * y * y * (10 - y * (15 - 6 * y));
#elif FORM == 4
  return y * y * y * y * (35 - y * (84 - y * (70 - 20 * y)));
#else
  return y * y * y * y * y * (126 - y * (420 - y * (540 - y * (315 - 70 * y))));
#endif
#endif
}

#ifdef LEAN
#define OVER(x, constant) ((x) * (1 / (constant)))
#else
#define OVER(x, constant) ((x) / (constant))
#endif

// tanh(a x), or its replacement 2 H - 1 by a cubic switch H, with the same slope at zero.
real bent(const REAL a, const real x) {
#ifdef REPLACES_TANH
  return 2 * cubic(a / 3, x) - 1;
#elif defined(LEAN)
  return 1 - 2 / (1 + exp(2 * a * x));
#else
  return tanh(a * x);
#endif
}

// The local terms at a cell with fields z. r gets the rates, except that gates with their own method get
// their value after a step dt.
#if MODEL == 0

void local_terms_of(const REAL k, const REAL dt, const real* z, real* r) {
  const real u = z[0];
  const real v = z[1];
  r[0] = u - v - u * u * u;
  r[1] = R(.05) * (u - R(1.5) * v + R(.1));
}

#elif MODEL == 1

real sixth_power(const real v) {
#ifdef POWERS
  const real v2 = v * v;
  return v2 * v2 * v2;
#else
  // Lane by lane: pow of eight numbers at once is off by 1e-4 in PoCL 3.1.
  REAL each[LANES];
  STORE(v, each, 0);
  for (int lane = 0; lane < LANES; ++lane) each[lane] = pow(each[lane], R(6.0));
  return LOADED(each, 0);
#endif
}

void local_terms_of(const REAL k, const REAL dt, const real* z, real* r) {
  const REAL b = R(1.5819767068693264);  // 1 / (1 - exp(-Re)), Re = 1
  const real u = z[0];
  const real v = z[1];
  const real rate = R(.5) * u * u * (1 - bent(1, u - 3)) * (R(1.5415) - sixth_power(v)) - u;
  r[0] = OVER(rate, R(2.5));
  // Equals [b - v] H(u-1) - v H(1-u), because H(x) + H(-x) = 1.
  r[1] = OVER(b * switched(k, u - 1) - v, R(250.));
}

#else

// The switch between time constants and between targets.
real hidden(const REAL k, const real x) {
#ifdef SHARP
  return heaviside(x);
#else
  return switched(k, x);
#endif
}

// The term of a gate y' = a y + b: its rate, or its value after a step dt by the gates' own method.
real gate(const real a, const real b, const real y, const REAL dt) {
#if GATES == 0
  return a * y + b;
#elif GATES == 1
  return (y + dt * b) / (1 - dt * a);
#else
  const real y_inf = -b / a;
#ifdef SINGLE
  // The limit may be far from the gate. The exponential's own rounding would then show.
  return y + (y - y_inf) * expm1(dt * a);
#else
  return y_inf + (y - y_inf) * exp(dt * a);
#endif
#endif
}

// The sum of the ionic currents.
real current(const REAL k, const real* z) {
  const real u = z[0];
  const real above_w = switched(k, u - R(.13));
  const real below_w = switched(k, R(.13) - u);
  const real tau_o = hidden(k, R(.006) - u) * 400 + hidden(k, u - R(.006)) * 6;
  const real tau_so = R(30.0181) + (R(.9957) - R(30.0181)) * R(.5) * (1 + bent(R(2.0458), u - R(.65)));
  const real fast_in = OVER(-z[1] * switched(k, u - R(.3)) * (u - R(.3)) * (R(1.55) - u), R(.11));
  const real slow_out = u * below_w / tau_o + above_w / tau_so;
  const real slow_in = OVER(-above_w * z[2] * z[3], R(1.8875));
  return fast_in + slow_out + slow_in;
}

void local_terms_of(const REAL k, const REAL dt, const real* z, real* r) {
  const real u = z[0];
  const real below_minus = hidden(k, R(.006) - u);  // th_v- and th_o are both 0.006
  const real above_minus = hidden(k, u - R(.006));
  const real tau_v_minus = below_minus * 60 + above_minus * 1150;
  const real tau_w_minus = 60 + (15 - 60) * R(.5) * (1 + bent(65, u - R(.03)));
  const real v_inf = below_minus;
  const real w_inf = below_minus * (1 - OVER(u, R(.07))) + above_minus * R(.94);
  const real above_v = switched(k, u - R(.3));
  const real below_v = switched(k, R(.3) - u);
  const real above_w = switched(k, u - R(.13));
  const real below_w = switched(k, R(.13) - u);
  const real tau_s = hidden(k, R(.13) - u) * R(2.7342) + hidden(k, u - R(.13)) * 16;
  const real s_inf = R(.5) * (1 + bent(R(2.0994), u - R(.9087)));
  r[0] = -current(k, z);
  r[1] = gate(OVER(-above_v, R(1.4506)) - below_v / tau_v_minus, below_v * v_inf / tau_v_minus, z[1], dt);
  r[2] = gate(OVER(-above_w, R(200.)) - below_w / tau_w_minus, below_w * w_inf / tau_w_minus, z[2], dt);
  r[3] = gate(-1 / tau_s, s_inf / tau_s, z[3], dt);
}

#endif

// Uses the stage's term k for value n of the state, in field f. The last stage ends the step with z + h
// sum(weight k). Earlier stages add to the sum and make the next argument z + h k.
void advance(const int n, const int f, const int is_first, const int is_last, const REAL weight,
             const REAL h, const REAL k, global REAL* state, global REAL* argument,
             global REAL* sum) {
#if GATES != 0
  if (f > 0) {
    state[n] = k;
    return;
  }
#endif
  const REAL total = (is_first ? 0 : sum[n]) + weight * k;
  if (is_last) {
    state[n] += h * total;
  } else {
    sum[n] = total;
    argument[n] = state[n] + h * k;
  }
}
