// SPDX-License-Identifier: MIT
// The kinetics of atrial cells in OpenCL, LANES cells at once, in single or double precision; follows cell.hpp.
// Place: section 2 and appendix A, (20)-(28), with Courtemanche's expressions.
//
// Options: LANES is 1, 2, 4, 8 or 16. DOUBLE chooses the precision. PLAIN treats gates like all other variables.
// KEEPS_GATES leaves followed gates with the work-item instead of storing them.

#define JOINED_(a, b) a##b
#define JOINED(a, b) JOINED_(a, b)

#ifdef DOUBLE
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define NUMBER double
#define TRUTH long
#else
#define NUMBER float
#define TRUTH int
#endif
typedef NUMBER number;
typedef JOINED(NUMBER, 8) eight_numbers;

#if LANES == 1
typedef number real;
typedef TRUTH truth;
#define LOADED(from, at) (from)[at]
#define STORE(value, to, at) (to)[at] = (value)
#else
typedef JOINED(NUMBER, LANES) real;
typedef JOINED(TRUTH, LANES) truth;
#define LOADED(from, at) JOINED(vload, LANES)(0, (from) + (at))
#define STORE(value, to, at) JOINED(vstore, LANES)(value, 0, (to) + (at))
#endif

#define VARIABLES 21
#define GATES 15
#define SLOTS 6

// Places in the state, in the order of the published initial state.
enum {
  AT_V, AT_M, AT_H, AT_J, AT_OA, AT_OI, AT_UA, AT_UI, AT_XR, AT_XS, AT_D, AT_F, AT_FCA, AT_U, AT_V_GATE, AT_W,
  AT_NAI, AT_KI, AT_CAI, AT_CAUP, AT_CAREL
};

#define OF(x) ((number)(x))
#define RT_OVER_F (8.3143 * 310 / 96.4867)
#define PER_CHARGE (100 / (96.4867 * 13668))
#define NA_O 140.0
#define K_O 5.4
#define CA_O 1.8

// What the rates of a cell go to. A gate is used as soon as it is known, because all of them at once would need
// too many registers.
struct change {
  real v;
  real concentration[5];
#ifdef PLAIN
  real gate_slope[GATES];
#elif defined(KEEPS_GATES)
  real gate[GATES];  // followed for `over`
  number over;
#else
  global const number* before;  // where gates start, if not null; otherwise they start from the argument
  global number* onto[3];       // where followed gates are stored
  number over[3];               // their time span
  int targets;
  real nothing;  // zero, or NaN if a gate is not finite
  int stride;
  int first;
#endif
};

inline void set_gate(struct change* r, int gate, real rate, real target, const real* y) {
#ifdef PLAIN
  r->gate_slope[gate - 1] = rate * (target - y[gate]);
#elif defined(KEEPS_GATES)
  r->gate[gate - 1] = y[gate] - (target - y[gate]) * expm1(-rate * r->over);
#else
  const int at = gate * r->stride + r->first;
  const real start = r->before != 0 ? LOADED(r->before, at) : y[gate];
  for (int n = 0; n < r->targets; ++n) {
    const real followed = start - (target - start) * expm1(-rate * r->over[n]);
    r->nothing += followed * 0;
    STORE(followed, r->onto[n], at);
  }
#endif
}

inline real inverse(real x) {
  return OF(1) / x;
}

// 1 / (1 + exp((middle - x) / width))
#define SIGMOID(x, middle, width) inverse(OF(1) + exp((OF(middle) - (x)) * OF(1.0 / (width))))

// B(x) = x / (1 - exp(-x)), given e = exp(-x).
inline real quotient(real x, real e) {
  const real x2 = x * x;
  real series = x2 * OF(1. / 47900160) - OF(1. / 1209600);
  series = series * x2 + OF(1. / 30240);
  series = series * x2 - OF(1. / 720);
  series = series * x2 + OF(1. / 12);
  series = series * x2 + x * OF(.5) + OF(1);
  return select(x / (OF(1) - e), series, (truth)isless(x2, (real)(OF(.09))));
}

inline real cubed(real x) {
  return x * x * x;
}

struct slow_sodium {
  real h_rate, h_alpha, j_rate, j_alpha;
};

inline struct slow_sodium below_minus_40(real v) {
  const real h_beta = OF(3.56) * exp(OF(.079) * v) + OF(3.1e5) * exp(OF(.35) * v);
  const real j_beta = OF(.1212) * exp(OF(-.01052) * v) * inverse(OF(1) + exp(OF(-.1378) * (v + OF(40.14))));
  struct slow_sodium s;
  s.h_alpha = OF(.135) * exp((v + OF(80)) * OF(-1 / 6.8));
  s.j_alpha = (OF(-127140) * exp(OF(.2444) * v) - OF(3.474e-5) * exp(OF(-.04391) * v)) * (v + OF(37.78)) *
              inverse(OF(1) + exp(OF(.311) * (v + OF(79.23))));
  s.h_rate = s.h_alpha + h_beta;
  s.j_rate = s.j_alpha + j_beta;
  return s;
}

inline struct slow_sodium from_minus_40(real v) {
  struct slow_sodium s;
  s.h_alpha = v * OF(0);
  s.j_alpha = v * OF(0);
  s.h_rate = inverse(OF(.13) * (OF(1) + exp((v + OF(10.66)) * OF(-1 / 11.1))));
  s.j_rate = OF(.3) * exp(OF(-2.535e-7) * v) * inverse(OF(1) + exp(OF(-.1) * (v + OF(32))));
  return s;
}

inline struct slow_sodium slow_gates(real v) {
#if LANES == 1
  return v < OF(-40) ? below_minus_40(v) : from_minus_40(v);
#else
  const struct slow_sodium low = below_minus_40(v);
  const struct slow_sodium high = from_minus_40(v);
  const truth is_low = isless(v, (real)(OF(-40)));
  struct slow_sodium s;
  s.h_rate = select(high.h_rate, low.h_rate, is_low);
  s.h_alpha = select(high.h_alpha, low.h_alpha, is_low);
  s.j_rate = select(high.j_rate, low.j_rate, is_low);
  s.j_alpha = select(high.j_alpha, low.j_alpha, is_low);
  return s;
#endif
}

inline void sodium_gates(const real* y, struct change* r) {
  const real v = y[AT_V];
  const real x = OF(.1) * (v + OF(47.13));
  const real alpha = OF(3.2) * quotient(x, exp(-x));
  const real beta = OF(.08) * exp(v * OF(-1. / 11));
  set_gate(r, AT_M, alpha + beta, alpha / (alpha + beta), y);
  const struct slow_sodium s = slow_gates(v);
  set_gate(r, AT_H, s.h_rate, s.h_alpha / s.h_rate, y);
  set_gate(r, AT_J, s.j_rate, s.j_alpha / s.j_rate, y);
}

// The gates of Ito and IKur.
inline void outward_gates(const real* y, struct change* r) {
  const real v = y[AT_V];
  const real opening = inverse(exp((v + OF(10)) * OF(-1 / 8.5)) + exp((v - OF(30)) * OF(-1. / 59)));
  const real closing = inverse(OF(2.5) + exp((v + OF(82)) * OF(1. / 17)));
  const real activation = OF(3 * .65) * (opening + closing);
  set_gate(r, AT_OA, activation, SIGMOID(v, -20.47, 17.54), y);
  set_gate(r, AT_UA, activation, SIGMOID(v, -30.3, 9.6), y);
  const real oi = inverse(OF(18.53) + exp((v + OF(113.7)) * OF(1 / 10.95))) +
                  inverse(OF(35.56) + exp((v + OF(1.26)) * OF(-1 / 7.44)));
  set_gate(r, AT_OI, OF(3) * oi, SIGMOID(v, -43.1, -5.3), y);
  const real ui = inverse(OF(21) + exp((v - OF(185)) * OF(-1. / 28))) + exp((v - OF(158)) * OF(1. / 16));
  set_gate(r, AT_UI, OF(3) * ui, SIGMOID(v, 99.45, -27.48), y);
}

// The gates of IKr and IKs.
inline void rectifier_gates(const real* y, struct change* r) {
  const real v = y[AT_V];
  const real x = (v + OF(14.1)) * OF(.2);
  const real z = (v - OF(3.3328)) * OF(-1 / 5.1237);
  set_gate(r, AT_XR, OF(.0015) * quotient(x, exp(-x)) + OF(7.3898e-5 * 5.1237) * quotient(z, exp(-z)),
           SIGMOID(v, -14.1, 6.5), y);
  const real from = v - OF(19.9);
  const real a = from * OF(1. / 17);
  const real b = from * OF(-1. / 9);
  set_gate(r, AT_XS, OF(2 * 6.8e-4) * quotient(a, exp(-a)) + OF(2 * 3.15e-4) * quotient(b, exp(-b)),
           inverse(sqrt(OF(1) + exp(from * OF(-1 / 12.7)))), y);
}

// The gates that depend on the voltage only.
inline void voltage_gates(const real* y, struct change* r) {
  const real v = y[AT_V];
  sodium_gates(y, r);
  outward_gates(y, r);
  rectifier_gates(y, r);
  const real x = (v + OF(10)) * OF(1 / 6.24);
  const real e = exp(-x);
  set_gate(r, AT_D, OF(.035 * 6.24) * quotient(x, e) * (OF(1) + e), SIGMOID(v, -10, 8), y);
  const real z = OF(.0337) * (v + OF(10));
  set_gate(r, AT_F, (OF(.0197) * exp(-z * z) + OF(.02)) * OF(1. / 9), SIGMOID(v, -28, -6.9), y);
  const real a = (v - OF(7.9)) * OF(.2);
  const real b = exp(-a);
  set_gate(r, AT_W, OF(5. / 6) * quotient(a, b) * (OF(1) + OF(.3) * b), SIGMOID(v, 40, -17), y);
}

// The currents that the gates or concentrations need, in pA/pF; those of the store in mM/ms.
struct flows {
  real na, potassium, cal, nak, naca, bna, bca, pca, release;
};

// The conductance of the currents of potassium, without that of acetylcholine.
inline real potassium_conductance(const real* y) {
  const real v = y[AT_V];
  const real k1 = OF(.09) * inverse(OF(1) + exp(OF(.07) * (v + OF(80))));
  const real to = OF(.1652) * cubed(y[AT_OA]) * y[AT_OI];
  const real kur = (OF(.005) + OF(.05) * SIGMOID(v, 15, 13)) * cubed(y[AT_UA]) * y[AT_UI];
  const real kr = OF(.029411765) * inverse(OF(1) + exp((v + OF(15)) * OF(1 / 22.4))) * y[AT_XR];
  const real ks = OF(.12941176) * y[AT_XS] * y[AT_XS];
  return k1 + to + kur + kr + ks;
}

// The currents of the pump and the exchanger.
inline void exchange_currents(const real* y, struct flows* i) {
  const real x = y[AT_V] * OF(1 / RT_OVER_F);
  const real whole = exp(-x);
  const real forward = exp(OF(.35) * x);
  const real backward = whole * forward;  // exp(-.65 x)
  const real nak = OF(.59933874 * K_O / (K_O + 1.5)) *
                   inverse(OF(1) + OF(.1245) * exp(OF(-.1) * x) + OF(.0365 * 1.0009103049457284) * whole);
  const real ratio = OF(10) / y[AT_NAI];
  i->nak = nak / (OF(1) + ratio * sqrt(ratio));
  const real largest =
      OF(1600 / ((87.5 * 87.5 * 87.5 + NA_O * NA_O * NA_O) * (1.38 + CA_O))) * inverse(OF(1) + OF(.1) * backward);
  i->naca = largest * (forward * OF(CA_O) * cubed(y[AT_NAI]) - backward * OF(NA_O * NA_O * NA_O) * y[AT_CAI]);
}

// Sets the rate of V without stimulus and diffusion. `acetylcholine` is the factor in the conductance of its
// current, `counts` is 1 if this counts in the change of Ki and 0 if not.
inline struct flows currents(number acetylcholine, number counts, const real* y, struct change* r) {
  const real v = y[AT_V];
  const real e_na = OF(RT_OVER_F) * log(OF(NA_O) / y[AT_NAI]);
  const real e_k = OF(RT_OVER_F) * log(OF(K_O) / y[AT_KI]);
  const real e_ca = OF(RT_OVER_F / 2) * log(OF(CA_O) / y[AT_CAI]);
  const real ach =
      acetylcholine * (OF(.0517) + OF(.4516) * inverse(OF(1) + exp((v + OF(59.53)) * OF(1 / 17.18))));
  struct flows i;
  i.na = OF(7.8) * cubed(y[AT_M]) * y[AT_H] * y[AT_J] * (v - e_na);
  i.potassium = (potassium_conductance(y) + counts * ach) * (v - e_k);
  const real rest_of_ach = (OF(1) - counts) * ach * (v - e_k);
  i.cal = OF(.12375) * y[AT_D] * y[AT_F] * y[AT_FCA] * (v - OF(65));
  exchange_currents(y, &i);
  i.bna = OF(6.744375e-4) * (v - e_na);
  i.bca = OF(1.131e-3) * (v - e_ca);
  i.pca = OF(.275) * y[AT_CAI] / (OF(.0005) + y[AT_CAI]);
  i.release = OF(30) * y[AT_U] * y[AT_U] * y[AT_V_GATE] * y[AT_W] * (y[AT_CAREL] - y[AT_CAI]);
  r->v = -(i.na + i.potassium + rest_of_ach + i.cal + i.nak + i.naca + i.bna + i.bca + i.pca);
  return i;
}

// The gates of ICaL and of the store's release that depend on currents or calcium.
inline void calcium_gates(const real* y, const struct flows* i, struct change* r) {
  const real zero = y[AT_V] * OF(0);
  set_gate(r, AT_FCA, zero + OF(.5), inverse(OF(1) + y[AT_CAI] * OF(1 / .00035)), y);
  const real s = OF(1000 / 1.367 * 96.48) * i->release -
                 OF(1000 / 1.367 * 100 / (2 * 96.4867)) * (OF(.5) * i->cal - OF(.2) * i->naca);
  const real released = inverse(OF(1) + exp(OF(250) - s));
  set_gate(r, AT_U, zero + OF(1. / 8), released, y);
  // This is 1 - 1 / (1 + exp(50 - s)) without cancellation.
  set_gate(r, AT_V_GATE, inverse(OF(1.91) + OF(2.09) * released), inverse(OF(1) + exp(s - OF(50))), y);
}

inline void concentrations_of(const real* y, const struct flows* i, struct change* r) {
  const real uptake = OF(.005) * y[AT_CAI] / (y[AT_CAI] + OF(.00092));
  const real leak = OF(.005 / 15) * y[AT_CAUP];
  const real transfer = (y[AT_CAUP] - y[AT_CAREL]) * OF(1. / 180);
  r->concentration[0] = OF(-PER_CHARGE) * (OF(3) * (i->nak + i->naca) + i->bna + i->na);
  r->concentration[1] = OF(PER_CHARGE) * (OF(2) * i->nak - i->potassium);
  const real b1 = OF(PER_CHARGE / 2) * (OF(2) * i->naca - i->pca - i->cal - i->bca) +
                  OF(1109.52 / 13668) * (leak - uptake) + OF(96.48 / 13668) * i->release;
  const real troponin = inverse(y[AT_CAI] + OF(.0005));
  const real calmodulin = inverse(y[AT_CAI] + OF(.00238));
  const real b2 = OF(1) + OF(.07 * .0005) * troponin * troponin + OF(.05 * .00238) * calmodulin * calmodulin;
  r->concentration[2] = b1 / b2;
  r->concentration[3] = uptake - leak - OF(96.48 / 1109.52) * transfer;
  const real calsequestrin = inverse(y[AT_CAREL] + OF(.8));
  r->concentration[4] = (transfer - i->release) / (OF(1) + OF(10 * .8) * calsequestrin * calsequestrin);
}

inline void rates_of_cells(number acetylcholine, number counts, const real* y, struct change* r) {
  voltage_gates(y, r);
  const struct flows i = currents(acetylcholine, counts, y, r);
  calcium_gates(y, &i, r);
  concentrations_of(y, &i, r);
}

// The rate of V due to stimuli and diffusion, (7). Bit s of `active` says that stimulus s is on. Cells beyond the
// last one have no neighbours.
inline real supplied(int first, int stride, unsigned active, eight_numbers strengths, global const number* v,
                     global const number* weight, global const int* neighbours, global const uchar* stimulated) {
  number sum[LANES];
  number strength[8];
  vstore8(strengths, 0, strength);
  for (int lane = 0; lane < LANES; ++lane) {
    sum[lane] = 0;
    if (active != 0)
      for (int n = 0; n < 8; ++n)
        if ((active & stimulated[first + lane]) >> n & 1) sum[lane] += strength[n];
  }
  real all = LOADED(sum, 0);
  const real here = LOADED(v, first);
  for (int slot = 0; slot < SLOTS; ++slot) {
    number other[LANES];
    for (int lane = 0; lane < LANES; ++lane) other[lane] = v[neighbours[slot * stride + first + lane]];
    all += LOADED(weight, slot * stride + first) * (LOADED(other, 0) - here);
  }
  return all;
}

#define NO_CELL UINT_MAX
#define CELL_BITS 26
#define LARGEST_VOLTAGE OF(300)

// The first of the cells that belong to the sphere and have no number; NO_CELL if there is none.
inline unsigned first_bad(real nothing, int first, int cells) {
  number each[LANES];
  STORE(nothing, each, 0);
  for (int lane = 0; lane < LANES; ++lane)
    if (first + lane < cells && !(each[lane] == 0)) return first + lane;
  return NO_CELL;
}

// NaN where |v| is not below the largest voltage, and zero elsewhere.
inline real refused(real v) {
  return select((real)(NAN), (real)(0), (truth)isless(fabs(v), (real)(LARGEST_VOLTAGE)));
}

// Copies the voltages of the recorded cells to one row of samples.
kernel void take_sample(const int columns, const int row, global const int* recorded, global const number* v,
                        global number* samples) {
  const int n = get_global_id(0);
  if (n < columns) samples[row * columns + n] = v[recorded[n]];
}
