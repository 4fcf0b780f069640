// SPDX-License-Identifier: MIT
// Kinetics of one atrial cell without its neighbours, in any precision. The expressions are those of
// Courtemanche, Ramirez and Nattel (1998) as printed there, with opening and closing rates kept apart, plus
// Kneller's (2002) acetylcholine current. Place: section 2 and appendix A, (20)-(28).
#pragma once

#include <array>
#include <cmath>

#include "solvers/atrium/problem.hpp"

namespace reprise::reference::atrium {

using namespace reprise::atrium;

// The voltage, in mV, at which the rates of the sodium channel's h and j jump.
constexpr double sodium_jump = -40;

// A gate's rate dw/dt = a w + b, (10).
template <class Real>
struct line {
  Real a, b;
};

template <class Real>
line<Real> opening_and_closing(Real alpha, Real beta) {
  return {-(alpha + beta), alpha};
}

template <class Real>
line<Real> approaching(Real infinity, Real tau) {
  return {-1 / tau, infinity / tau};
}

// x / (1 - exp(-x / k)), with its limit k at x = 0.
template <class Real>
Real over_one_minus_exp(Real x, Real k) {
  return x == 0 ? k : x / -std::expm1(-x / k);
}

// 1 / (1 + exp(-(x - middle) / width)).
template <class Real>
Real sigmoid(Real x, double middle, double width) {
  return 1 / (1 + std::exp(-(x - Real(middle)) / Real(width)));
}

template <class Real>
class membrane {
 public:
  membrane(Real v, double jump) : v_(v), jump_(jump) {}

  line<Real> m() const {
    return opening_and_closing(Real(.32) * over_one_minus_exp(v_ + Real(47.13), Real(10)),
                               Real(.08) * std::exp(-v_ / 11));
  }
  line<Real> h() const {
    if (v_ >= jump_) {
      const Real beta = 1 / (Real(.13) * (1 + std::exp((v_ + Real(10.66)) / Real(-11.1))));
      return opening_and_closing(Real(0), beta);
    }
    return opening_and_closing(
        Real(.135) * std::exp((80 + v_) / Real(-6.8)),
        Real(3.56) * std::exp(Real(.079) * v_) + Real(3.1e5) * std::exp(Real(.35) * v_));
  }
  line<Real> j() const {
    if (v_ >= jump_) {
      const Real beta = Real(.3) * std::exp(Real(-2.535e-7) * v_) / (1 + std::exp(Real(-.1) * (v_ + 32)));
      return opening_and_closing(Real(0), beta);
    }
    const Real alpha =
        (-127140 * std::exp(Real(.2444) * v_) - Real(3.474e-5) * std::exp(Real(-.04391) * v_)) *
        (v_ + Real(37.78)) / (1 + std::exp(Real(.311) * (v_ + Real(79.23))));
    const Real beta =
        Real(.1212) * std::exp(Real(-.01052) * v_) / (1 + std::exp(Real(-.1378) * (v_ + Real(40.14))));
    return opening_and_closing(alpha, beta);
  }
  line<Real> oa() const { return approaching(sigmoid(v_, -20.47, 17.54), tau_of_activation()); }
  line<Real> ua() const { return approaching(sigmoid(v_, -30.3, 9.6), tau_of_activation()); }
  line<Real> oi() const {
    const Real alpha = 1 / (Real(18.53) + std::exp((v_ + Real(113.7)) / Real(10.95)));
    const Real beta = 1 / (Real(35.56) + std::exp((v_ + Real(1.26)) / Real(-7.44)));
    return approaching(sigmoid(v_, -43.1, -5.3), 1 / (3 * (alpha + beta)));
  }
  line<Real> ui() const {
    const Real alpha = 1 / (21 + std::exp((v_ - 185) / -28));
    const Real beta = std::exp((v_ - 158) / 16);
    return approaching(sigmoid(v_, 99.45, -27.48), 1 / (3 * (alpha + beta)));
  }
  line<Real> xr() const {
    const Real alpha = Real(.0003) * over_one_minus_exp(v_ + Real(14.1), Real(5));
    const Real beta = Real(-7.3898e-5) * over_one_minus_exp(v_ - Real(3.3328), Real(-5.1237));
    // For k < 0 over_one_minus_exp is -x / (exp(x / |k|) - 1), hence the negative factor of beta.
    return approaching(sigmoid(v_, -14.1, 6.5), 1 / (alpha + beta));
  }
  line<Real> xs() const {
    const Real alpha = Real(4e-5) * over_one_minus_exp(v_ - Real(19.9), Real(17));
    const Real beta = Real(-3.5e-5) * over_one_minus_exp(v_ - Real(19.9), Real(-9));
    return approaching(std::sqrt(sigmoid(v_, 19.9, 12.7)), 1 / (2 * (alpha + beta)));
  }
  line<Real> d() const {
    const Real x = v_ + 10;
    const Real tau = 1 / (Real(.035) * over_one_minus_exp(x, Real(6.24)) * (1 + std::exp(-x / Real(6.24))));
    return approaching(sigmoid(v_, -10, 8), tau);
  }
  line<Real> f() const {
    const Real x = Real(.0337) * (v_ + 10);
    return approaching(sigmoid(v_, -28, -6.9), 9 / (Real(.0197) * std::exp(-x * x) + Real(.02)));
  }
  line<Real> w() const {
    const Real x = v_ - Real(7.9);
    const Real tau = 6 / (over_one_minus_exp(x, Real(5)) * (1 + Real(.3) * std::exp(-x / 5)));
    return approaching(1 - sigmoid(v_, 40, 17), tau);
  }

 private:
  Real tau_of_activation() const {
    const Real alpha = Real(.65) / (std::exp((v_ + 10) / Real(-8.5)) + std::exp((v_ - 30) / -59));
    const Real beta = Real(.65) / (Real(2.5) + std::exp((v_ + 82) / 17));
    return 1 / (3 * (alpha + beta));
  }

  Real v_;
  double jump_;  // mV; the rates of h and j have another form from this voltage on
};

struct constants {
  double gas = 8.3143, temperature = 310, faraday = 96.4867, capacitance = 100;
  double volume = 13668, volume_uptake = 1109.52, volume_release = 96.48;
  double na_o = 140, k_o = 5.4, ca_o = 1.8;
};

template <class Real>
struct currents {  // in pA/pF, but those of the calcium store in mM/ms
  Real na, k1, to, kur, kr, ks, kach, cal, nak, naca, bna, bca, pca, release, transfer, uptake, leak;
};

template <class Real>
currents<Real> currents_of(const cell_parameters& p, const Real* y) {
  constexpr constants c;
  const Real v = y[at_v], na = y[at_nai], k = y[at_ki], ca = y[at_cai];
  const Real rt_f = Real(c.gas) * Real(c.temperature) / Real(c.faraday);
  const Real e_na = rt_f * std::log(Real(c.na_o) / na);
  const Real e_k = rt_f * std::log(Real(c.k_o) / k);
  const Real e_ca = rt_f / 2 * std::log(Real(c.ca_o) / ca);
  currents<Real> i;
  i.na = Real(7.8) * std::pow(y[at_m], 3) * y[at_h] * y[at_j] * (v - e_na);
  i.k1 = Real(.09) * (v - e_k) / (1 + std::exp(Real(.07) * (v + 80)));
  i.to = Real(.1652) * std::pow(y[at_oa], 3) * y[at_oi] * (v - e_k);
  i.kur = (Real(.005) + Real(.05) * sigmoid(v, 15, 13)) * std::pow(y[at_ua], 3) * y[at_ui] * (v - e_k);
  i.kr = Real(.029411765) * y[at_xr] * (v - e_k) / (1 + std::exp((v + 15) / Real(22.4)));
  i.ks = Real(.12941176) * std::pow(y[at_xs], 2) * (v - e_k);
  const Real opened = p.acetylcholine > 0
                          ? 10 / (1 + Real(9.13652) / std::pow(Real(p.acetylcholine), Real(.477811)))
                          : Real(0);
  i.kach = opened * (Real(.0517) + Real(.4516) / (1 + std::exp((v + Real(59.53)) / Real(17.18)))) * (v - e_k);
  i.cal = Real(.12375) * y[at_d] * y[at_f] * y[at_fca] * (v - 65);
  const Real sigma = std::expm1(Real(c.na_o) / Real(67.3)) / 7;
  const Real f_nak =
      1 / (1 + Real(.1245) * std::exp(Real(-.1) * v / rt_f) + Real(.0365) * sigma * std::exp(-v / rt_f));
  i.nak = Real(.59933874) * f_nak / (1 + std::pow(10 / na, Real(1.5))) * Real(c.k_o) / Real(c.k_o + 1.5);
  const Real forward = std::exp(Real(.35) * v / rt_f), backward = std::exp(Real(-.65) * v / rt_f);
  i.naca = 1600 * (forward * std::pow(na, 3) * Real(c.ca_o) - backward * std::pow(Real(c.na_o), 3) * ca) /
           ((std::pow(Real(87.5), 3) + std::pow(Real(c.na_o), 3)) * (Real(1.38) + Real(c.ca_o)) *
            (1 + Real(.1) * backward));
  i.bna = Real(6.744375e-4) * (v - e_na);
  i.bca = Real(1.131e-3) * (v - e_ca);
  i.pca = Real(.275) * ca / (Real(.0005) + ca);
  i.release = 30 * std::pow(y[at_u], 2) * y[at_v_gate] * y[at_w] * (y[at_carel] - ca);
  i.transfer = (y[at_caup] - y[at_carel]) / 180;
  i.uptake = Real(.005) / (1 + Real(.00092) / ca);
  i.leak = Real(.005) * y[at_caup] / 15;
  return i;
}

template <class Real>
struct cell_rates {
  Real v;  // without stimulus and diffusion
  std::array<Real, concentrations> concentration;
  std::array<line<Real>, gates> gate;
};

template <class Real>
Real buffered(Real total, Real half, Real concentration) {
  return total * half / std::pow(concentration + half, 2);
}

template <class Real>
std::array<Real, concentrations> concentration_rates(const cell_parameters& p, const currents<Real>& i,
                                                     const Real* y) {
  constexpr constants c;
  const Real charge = Real(c.faraday) * Real(c.volume) / Real(c.capacitance);
  const Real ach = p.acetylcholine_carries_potassium ? i.kach : Real(0);
  const Real b1 =
      (2 * i.naca - i.pca - i.cal - i.bca) / (2 * charge) +
      (Real(c.volume_uptake) * (i.leak - i.uptake) + i.release * Real(c.volume_release)) / Real(c.volume);
  const Real b2 =
      1 + buffered(Real(.07), Real(.0005), y[at_cai]) + buffered(Real(.05), Real(.00238), y[at_cai]);
  return {(-3 * i.nak - 3 * i.naca - i.bna - i.na) / charge,
          (2 * i.nak - i.k1 - i.to - i.kur - i.kr - i.ks - ach) / charge, b1 / b2,
          i.uptake - i.leak - i.transfer * Real(c.volume_release / c.volume_uptake),
          (i.transfer - i.release) / (1 + buffered(Real(10), Real(.8), y[at_carel]))};
}

template <class Real>
cell_rates<Real> cell_rates_of(const cell_parameters& p, const Real* y, double jump = sodium_jump) {
  constexpr constants c;
  const currents<Real> i = currents_of(p, y);
  cell_rates<Real> r;
  r.v = -(i.na + i.k1 + i.to + i.kur + i.kr + i.ks + i.kach + i.cal + i.nak + i.naca + i.bna + i.bca + i.pca);
  r.concentration = concentration_rates(p, i, y);

  const Real flux = Real(1e-12) * Real(c.volume_release) * i.release -
                    Real(5e-13) / Real(c.faraday) * Real(c.capacitance) * (i.cal / 2 - i.naca / 5);
  const Real released = sigmoid(flux, 3.4175e-13, 13.67e-16);
  const membrane<Real> at(y[at_v], jump);
  r.gate = {at.m(),
            at.h(),
            at.j(),
            at.oa(),
            at.oi(),
            at.ua(),
            at.ui(),
            at.xr(),
            at.xs(),
            at.d(),
            at.f(),
            approaching(1 / (1 + y[at_cai] / Real(.00035)), Real(2)),
            approaching(released, Real(8)),
            approaching(1 - sigmoid(flux, 6.835e-14, 13.67e-16), Real(1.91) + Real(2.09) * released),
            at.w()};
  return r;
}

}  // namespace reprise::reference::atrium
