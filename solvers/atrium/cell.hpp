// SPDX-License-Identifier: MIT
// The kinetics of one atrial cell without its neighbours, for the host, for SIMD vectors and for devices,
// in single or double precision.
// Place: section 2 and appendix A, (20)-(28), with Courtemanche's expressions.
//
// The expressions are written so that single precision is sufficient:
//   B(x) = x / (1 - exp(-x))   by its series near zero, where the quotient loses all digits
//   F_n                        in units of 1.367e-15, where its thresholds are 250 and 50 instead of 1e-13
//   gates                      dw/dt = rate (target - w), which is (10) with a = -rate, b = rate target; (11)
//                              is then w + (target - w) (1 - exp(-rate h)), with 1 - exp(-x) as one function
//   exp(-.65 x)                as exp(-x) exp(.35 x), both of which are needed anyway
//
// The template parameter Math defines the number type and its functions:
//   real      type of all arguments: a number, or a vector of numbers
//   scalar    type of constants
//   exp, log, sqrt, over(a, b) = a / b, decay(x) = 1 - exp(-x) for x >= 0
//   choose(condition, a, b), and is_scalar: whether a condition can be used in a branch
#pragma once

#include <cmath>
#include <cstddef>

#include "solvers/atrium/problem.hpp"
#include "solvers/common/base/host_device.hpp"

// A real may be a vector as wide as a cache line. Such vectors are passed only to inlined functions.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

namespace reprise::atrium {

// The platform's own mathematical functions.
template <class Real>
struct library_math {
  using real = Real;
  using scalar = Real;
  static constexpr bool is_scalar = true;
  REPRISE_INLINED static Real exp(Real x) { return std::exp(x); }
  REPRISE_INLINED static Real log(Real x) { return std::log(x); }
  REPRISE_INLINED static Real sqrt(Real x) { return std::sqrt(x); }
  REPRISE_INLINED static Real decay(Real x) { return -std::expm1(-x); }
  REPRISE_INLINED static Real over(Real a, Real b) { return a / b; }
  REPRISE_INLINED static Real choose(bool condition, Real a, Real b) { return condition ? a : b; }
};

// The parameters of a problem that enter a cell's kinetics.
template <class Scalar>
struct cell_constants {
  Scalar acetylcholine;            // factor in the conductance of its current
  Scalar acetylcholine_potassium;  // 1 or 0: whether its current counts in the change of Ki
};

template <class Scalar>
cell_constants<Scalar> constants_of(const cell_parameters& p) {
  const double opened = p.acetylcholine > 0 ? 10 / (1 + 9.13652 / std::pow(p.acetylcholine, .477811)) : 0;
  return {static_cast<Scalar>(opened), static_cast<Scalar>(p.acetylcholine_carries_potassium ? 1 : 0)};
}

template <class Real>
struct cell_change {
  Real v;  // without stimulus and diffusion
  Real concentration[concentrations];
  Real rate[gates];  // of the gates, in the order of the state
  Real target[gates];

  REPRISE_INLINED void set_gate(std::size_t gate, const Real& its_rate, const Real& its_target) {
    rate[gate - first_gate] = its_rate;
    target[gate - first_gate] = its_target;
  }
};

// The physical constants of appendix A.
namespace physical {
constexpr double gas = 8.3143, temperature = 310, faraday = 96.4867;
constexpr double rt_over_f = gas * temperature / faraday;
constexpr double capacitance = 100;
constexpr double volume = 13668, volume_uptake = 1109.52, volume_release = 96.48;
constexpr double na_o = 140, k_o = 5.4, ca_o = 1.8;
constexpr double per_charge = capacitance / (faraday * volume);  // pA/pF to mM/ms
}  // namespace physical

template <class Math>
struct courtemanche {
  using real = typename Math::real;
  using scalar = typename Math::scalar;
  using change = cell_change<real>;

  // The rates of change of a whole cell y.
  REPRISE_INLINED static change rates(const cell_constants<scalar>& c, const real (&y)[variables]) {
    change r;
    rates(c, y, r);
    return r;
  }

  // The same, passed to a Change: sets its v and concentration[], and calls set_gate() once for each gate.
  template <class Change>
  REPRISE_INLINED static void rates(const cell_constants<scalar>& c, const real (&y)[variables], Change& r) {
    voltage_gates(y[at_v], r);
    const flows i = currents(c, y, r);
    calcium_gates(y, i, r);
    concentrations_of(y, i, r);
  }

  // The gates that depend on the voltage only.
  template <class Change>
  REPRISE_INLINED static void voltage_gates(const real& v, Change& r) {
    sodium_gates(v, r);
    outward_gates(v, r);
    rectifier_gates(v, r);
    const real x = (v + of(10)) * of(1 / 6.24);
    const real e = Math::exp(-x);
    r.set_gate(at_d, of(.035 * 6.24) * quotient(x, e) * (of(1) + e), sigmoid(v, -10, 8));
    const real z = of(.0337) * (v + of(10));
    r.set_gate(at_f, (of(.0197) * Math::exp(-z * z) + of(.02)) * of(1. / 9), sigmoid(v, -28, -6.9));
    const real a = (v - of(7.9)) * of(.2);
    const real b = Math::exp(-a);
    r.set_gate(at_w, of(5. / 6) * quotient(a, b) * (of(1) + of(.3) * b), sigmoid(v, 40, -17));
  }

  // Properties of the membrane that depend on the voltage only: conductances of IK1, IKur, IKr and IK,ACh,
  // the largest INaK, and INaCa per unit of Nai^3 and of Cai.
  struct membrane {
    real k1, kur, kr, ach, nak, naca_out, naca_in;
  };

  REPRISE_INLINED static membrane membrane_at(const cell_constants<scalar>& c, const real& v) {
    using namespace physical;
    constexpr double sigma = 1.0009103049457284;  // (exp(Na_o / 67.3) - 1) / 7
    constexpr double na_o_cubed = na_o * na_o * na_o;
    membrane m;
    m.k1 = of(.09) * inverse(of(1) + Math::exp(of(.07) * (v + of(80))));
    m.kur = of(.005) + of(.05) * sigmoid(v, 15, 13);
    m.kr = of(.029411765) * inverse(of(1) + Math::exp((v + of(15)) * of(1 / 22.4)));
    m.ach = c.acetylcholine *
            (of(.0517) + of(.4516) * inverse(of(1) + Math::exp((v + of(59.53)) * of(1 / 17.18))));
    const real x = v * of(1 / rt_over_f);
    const real whole = Math::exp(-x);
    const real forward = Math::exp(of(.35) * x);
    const real backward = whole * forward;  // exp(-.65 x)
    m.nak = of(.59933874 * k_o / (k_o + 1.5)) *
            inverse(of(1) + of(.1245) * Math::exp(of(-.1) * x) + of(.0365 * sigma) * whole);
    const real largest =
        of(1600 / ((87.5 * 87.5 * 87.5 + na_o_cubed) * (1.38 + ca_o))) * inverse(of(1) + of(.1) * backward);
    m.naca_out = largest * forward * of(ca_o);
    m.naca_in = largest * backward * of(na_o_cubed);
    return m;
  }

  // The gate w after time h, by (11).
  REPRISE_INLINED static real followed(const real& w, const real& rate, const real& target, scalar h) {
    return w + (target - w) * Math::decay(rate * h);
  }

  // B(x), given e = exp(-x).
  REPRISE_INLINED static real quotient(const real& x, const real& e) {
    const real x2 = x * x;
    real series = x2 * scalar(1. / 47900160) - scalar(1. / 1209600);
    series = series * x2 + scalar(1. / 30240);
    series = series * x2 - scalar(1. / 720);
    series = series * x2 + scalar(1. / 12);
    series = series * x2 + x * scalar(.5) + scalar(1);
    // For smaller x the first omitted term of the series is below the rounding error of double precision.
    return Math::choose(x2 < scalar(.09), series, over(x, scalar(1) - e));
  }

 private:
  REPRISE_INLINED static constexpr scalar of(double constant) { return static_cast<scalar>(constant); }
  // The numerator may be a single number for all cells of a vector.
  template <class Numerator>
  REPRISE_INLINED static real over(const Numerator& a, const real& b) {
    return Math::over(a, b);
  }
  REPRISE_INLINED static real inverse(const real& x) { return over(of(1), x); }
  // 1 / (1 + exp((middle - x) / width))
  REPRISE_INLINED static real sigmoid(const real& x, double middle, double width) {
    return inverse(of(1) + Math::exp((of(middle) - x) * of(1 / width)));
  }
  struct slow_sodium {
    real h_rate, h_alpha, j_rate, j_alpha;
  };

  REPRISE_INLINED static slow_sodium below_minus_40(const real& v) {
    const real h_alpha = of(.135) * Math::exp((v + of(80)) * of(-1 / 6.8));
    const real h_beta = of(3.56) * Math::exp(of(.079) * v) + of(3.1e5) * Math::exp(of(.35) * v);
    const real j_alpha =
        (of(-127140) * Math::exp(of(.2444) * v) - of(3.474e-5) * Math::exp(of(-.04391) * v)) *
        (v + of(37.78)) * inverse(of(1) + Math::exp(of(.311) * (v + of(79.23))));
    const real j_beta =
        of(.1212) * Math::exp(of(-.01052) * v) * inverse(of(1) + Math::exp(of(-.1378) * (v + of(40.14))));
    return {h_alpha + h_beta, h_alpha, j_alpha + j_beta, j_alpha};
  }

  REPRISE_INLINED static slow_sodium from_minus_40(const real& v) {
    const real h_beta = inverse(of(.13) * (of(1) + Math::exp((v + of(10.66)) * of(-1 / 11.1))));
    const real j_beta =
        of(.3) * Math::exp(of(-2.535e-7) * v) * inverse(of(1) + Math::exp(of(-.1) * (v + of(32))));
    const real none = v * of(0);
    return {h_beta, none, j_beta, none};
  }

  REPRISE_INLINED static slow_sodium slow_gates(const real& v) {
    if constexpr (Math::is_scalar) {
      return v < of(-40) ? below_minus_40(v) : from_minus_40(v);
    } else {
      const slow_sodium low = below_minus_40(v);
      const slow_sodium high = from_minus_40(v);
      const auto is_low = v < of(-40);
      return {Math::choose(is_low, low.h_rate, high.h_rate), Math::choose(is_low, low.h_alpha, high.h_alpha),
              Math::choose(is_low, low.j_rate, high.j_rate), Math::choose(is_low, low.j_alpha, high.j_alpha)};
    }
  }

  template <class Change>
  REPRISE_INLINED static void sodium_gates(const real& v, Change& r) {
    const real x = of(.1) * (v + of(47.13));
    const real alpha = of(3.2) * quotient(x, Math::exp(-x));
    const real beta = of(.08) * Math::exp(v * of(-1. / 11));
    r.set_gate(at_m, alpha + beta, over(alpha, alpha + beta));
    const slow_sodium s = slow_gates(v);
    r.set_gate(at_h, s.h_rate, over(s.h_alpha, s.h_rate));
    r.set_gate(at_j, s.j_rate, over(s.j_alpha, s.j_rate));
  }

  // The gates of Ito and IKur.
  template <class Change>
  REPRISE_INLINED static void outward_gates(const real& v, Change& r) {
    const real opening =
        inverse(Math::exp((v + of(10)) * of(-1 / 8.5)) + Math::exp((v - of(30)) * of(-1. / 59)));
    const real closing = inverse(of(2.5) + Math::exp((v + of(82)) * of(1. / 17)));
    const real activation = of(3 * .65) * (opening + closing);
    r.set_gate(at_oa, activation, sigmoid(v, -20.47, 17.54));
    r.set_gate(at_ua, activation, sigmoid(v, -30.3, 9.6));
    const real oi = inverse(of(18.53) + Math::exp((v + of(113.7)) * of(1 / 10.95))) +
                    inverse(of(35.56) + Math::exp((v + of(1.26)) * of(-1 / 7.44)));
    r.set_gate(at_oi, of(3) * oi, sigmoid(v, -43.1, -5.3));
    const real ui =
        inverse(of(21) + Math::exp((v - of(185)) * of(-1. / 28))) + Math::exp((v - of(158)) * of(1. / 16));
    r.set_gate(at_ui, of(3) * ui, sigmoid(v, 99.45, -27.48));
  }

  // The gates of IKr and IKs.
  template <class Change>
  REPRISE_INLINED static void rectifier_gates(const real& v, Change& r) {
    const real x = (v + of(14.1)) * of(.2);
    const real y = (v - of(3.3328)) * of(-1 / 5.1237);
    r.set_gate(at_xr,
               of(.0015) * quotient(x, Math::exp(-x)) + of(7.3898e-5 * 5.1237) * quotient(y, Math::exp(-y)),
               sigmoid(v, -14.1, 6.5));
    const real from = v - of(19.9);
    const real a = from * of(1. / 17);
    const real b = from * of(-1. / 9);
    r.set_gate(at_xs,
               of(2 * 6.8e-4) * quotient(a, Math::exp(-a)) + of(2 * 3.15e-4) * quotient(b, Math::exp(-b)),
               inverse(Math::sqrt(of(1) + Math::exp(from * of(-1 / 12.7)))));
  }

  struct flows {  // the currents that the gates or concentrations need, in pA/pF; those of the store in mM/ms
    real na, potassium, cal, nak, naca, bna, bca, pca, release;
  };

  template <class Change>
  REPRISE_INLINED static flows currents(const cell_constants<scalar>& c, const real (&y)[variables],
                                        Change& r) {
    using namespace physical;
    const real v = y[at_v];
    const real e_na = of(rt_over_f) * Math::log(over(of(na_o), y[at_nai]));
    const real e_k = of(rt_over_f) * Math::log(over(of(k_o), y[at_ki]));
    const real e_ca = of(rt_over_f / 2) * Math::log(over(of(ca_o), y[at_cai]));
    flows i;
    i.na = of(7.8) * cubed(y[at_m]) * y[at_h] * y[at_j] * (v - e_na);
    const membrane m = membrane_at(c, v);
    const real to = of(.1652) * cubed(y[at_oa]) * y[at_oi];
    const real kur = m.kur * cubed(y[at_ua]) * y[at_ui];
    const real kr = m.kr * y[at_xr];
    const real ks = of(.12941176) * y[at_xs] * y[at_xs];
    i.potassium = (m.k1 + to + kur + kr + ks + c.acetylcholine_potassium * m.ach) * (v - e_k);
    const real rest_of_ach = (of(1) - c.acetylcholine_potassium) * m.ach * (v - e_k);
    i.cal = of(.12375) * y[at_d] * y[at_f] * y[at_fca] * (v - of(65));
    const real ratio = over(of(10), y[at_nai]);
    i.nak = over(m.nak, of(1) + ratio * Math::sqrt(ratio));
    i.naca = m.naca_out * cubed(y[at_nai]) - m.naca_in * y[at_cai];
    i.bna = of(6.744375e-4) * (v - e_na);
    i.bca = of(1.131e-3) * (v - e_ca);
    i.pca = over(of(.275) * y[at_cai], of(.0005) + y[at_cai]);
    i.release = of(30) * y[at_u] * y[at_u] * y[at_v_gate] * y[at_w] * (y[at_carel] - y[at_cai]);
    r.v = -(i.na + i.potassium + rest_of_ach + i.cal + i.nak + i.naca + i.bna + i.bca + i.pca);
    return i;
  }

  // The gates of ICaL and of the store's release that depend on currents or calcium.
  template <class Change>
  REPRISE_INLINED static void calcium_gates(const real (&y)[variables], const flows& i, Change& r) {
    using namespace physical;
    const real v = y[at_v];
    r.set_gate(at_fca, v * of(0) + of(.5), inverse(of(1) + y[at_cai] * of(1 / .00035)));

    const real s = of(1000 / 1.367 * volume_release) * i.release -
                   of(1000 / 1.367 * capacitance / (2 * faraday)) * (of(.5) * i.cal - of(.2) * i.naca);
    const real released = inverse(of(1) + Math::exp(of(250) - s));
    r.set_gate(at_u, v * of(0) + of(1. / 8), released);
    // This is 1 - 1 / (1 + exp(50 - s)) without cancellation.
    r.set_gate(at_v_gate, inverse(of(1.91) + of(2.09) * released), inverse(of(1) + Math::exp(s - of(50))));
  }

  template <class Change>
  REPRISE_INLINED static void concentrations_of(const real (&y)[variables], const flows& i, Change& r) {
    using namespace physical;
    const real uptake = over(of(.005) * y[at_cai], y[at_cai] + of(.00092));
    const real leak = of(.005 / 15) * y[at_caup];
    const real transfer = (y[at_caup] - y[at_carel]) * of(1. / 180);
    r.concentration[at_nai - first_concentration] =
        of(-per_charge) * (of(3) * (i.nak + i.naca) + i.bna + i.na);
    r.concentration[at_ki - first_concentration] = of(per_charge) * (of(2) * i.nak - i.potassium);
    const real b1 = of(per_charge / 2) * (of(2) * i.naca - i.pca - i.cal - i.bca) +
                    of(volume_uptake / volume) * (leak - uptake) + of(volume_release / volume) * i.release;
    const real troponin = inverse(y[at_cai] + of(.0005));
    const real calmodulin = inverse(y[at_cai] + of(.00238));
    const real b2 =
        of(1) + of(.07 * .0005) * troponin * troponin + of(.05 * .00238) * calmodulin * calmodulin;
    r.concentration[at_cai - first_concentration] = over(b1, b2);
    r.concentration[at_caup - first_concentration] =
        uptake - leak - of(volume_release / volume_uptake) * transfer;
    const real calsequestrin = inverse(y[at_carel] + of(.8));
    r.concentration[at_carel - first_concentration] =
        over(transfer - i.release, of(1) + of(10 * .8) * calsequestrin * calsequestrin);
  }

  REPRISE_INLINED static real cubed(const real& x) { return x * x * x; }
};

}  // namespace reprise::atrium

#pragma GCC diagnostic pop
