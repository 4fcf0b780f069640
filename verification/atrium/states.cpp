// SPDX-License-Identifier: MIT
// Chooses voltages and gates of cells by the branches that they reach.
#include "verification/atrium/states.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "reference/atrium/cell.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::verification::atrium {
namespace {

using namespace reprise::atrium;

constexpr double store_factor = 1000 / 1.367 * 96.48;                  // of Irel in the signal
constexpr double current_factor = 1000 / 1.367 * 100 / (2 * 96.4867);  // of the currents

// At a singularity of a rate, beside it, and on both sides of the voltages where |x| = 0.3 in B(x), up to which
// the solvers use a series. `width` is that of x = (V - at) / width.
void add_singularity(std::vector<double>& all, double at, double width) {
  for (double from : {0., 1e-3, -1e-3, .28 * width, .32 * width, -.28 * width, -.32 * width})
    all.push_back(at + from);
}

// The rates of h and j jump at -40 mV. Tables begin and end at -112 and 88 mV on chip. In between are the middles
// of all sigmoids.
std::vector<double> voltages() {
  std::vector<double> all{-40 + 9e-4, -40 - 9e-4, 3.3328, -47.13, 19.9,   -14.1,  -10,    7.9,  -81.18, 30,
                          -60,        92,         -40,    -39.98, -40.02, -112.3, -111.7, 87.7, 88.3};
  add_singularity(all, -47.13, 10);
  add_singularity(all, -14.1, 5);
  add_singularity(all, 3.3328, 5.1237);
  add_singularity(all, 19.9, 17);
  add_singularity(all, 19.9, 9);
  add_singularity(all, -10, 6.24);
  add_singularity(all, 7.9, 5);
  for (double v : {-100., -92., -78., -72., -66., -59.5, -53., -43.1, -35., -30.3, -28.,
                   -20.5, -5.,  0.,   12.,  40.,  52.,   64.,  66.,   75.,  98.})
    all.push_back(v);
  return all;
}

// Below, at and above both thresholds, between and far from them.
constexpr double signals[]{250 - 1, 250 + 1, 50 - 1, 50 + 1, 150, 250, 50, 247,
                           253,     47,      53,     20,     80,  215, 300};

// The share of cells, one in so many, whose store is wide open as during a release.
constexpr std::size_t one_in_open = 6;

double calcium_current(const cell_state& y) {
  return .12375 * y[at_d] * y[at_f] * y[at_fca] * (y[at_v] - 65);
}

// Sets d, f, fCa and u so that the calcium current, the exchanger and the release all have a part in the signal.
void aim(cell_state& y, const cell_parameters& p, double signal) {
  y[at_v_gate] = .05 + .1 * y[at_v_gate];
  y[at_w] = .04 + .1 * y[at_w];
  const double exchanged = .2 * current_factor * reference::atrium::currents_of(p, y.data()).naca;
  const double wanted = -.6 * checkers::larger(0., signal - exchanged) / (.5 * current_factor);
  const double open = std::abs(wanted / (.12375 * (y[at_v] - 65)));
  y[at_d] = std::clamp(open / (y[at_f] * y[at_fca]), .02, .9);
  const double released =
      checkers::larger(5., signal - exchanged + .5 * current_factor * calcium_current(y)) / store_factor;
  y[at_u] = std::sqrt(released / (30 * y[at_v_gate] * y[at_w] * (y[at_carel] - y[at_cai])));
}

cell_state covering_state(std::size_t n, const cell_parameters& p, double lowest) {
  static const std::vector<double> all = voltages();
  const auto x = static_cast<double>(n);
  cell_state y = published_initial_state();
  y[at_v] = checkers::larger(lowest, all[n % all.size()]);
  for (std::size_t g = first_gate; g < first_concentration; ++g)
    y[g] = .5 + .4 * std::sin(1.3 * static_cast<double>(g) + 2.4 * x);
  y[at_nai] += 2 * std::sin(1.1 * x);
  y[at_ki] += 5 * std::sin(1.7 * x);
  y[at_cai] *= 4 + 3 * std::sin(2.3 * x);
  y[at_caup] *= 1 + .3 * std::sin(2.9 * x);
  y[at_carel] *= 1 + .3 * std::sin(.7 * x);
  if (n % one_in_open != 0) aim(y, p, signals[(n + n / std::size(signals)) % std::size(signals)]);
  return y;
}

// Their edges lie within the time of a few steps.
protocol early_stimuli() {
  return {{{.start = .007, .length = .05, .strength = 40, .axis = 2, .from_share = .3},
           {.start = .05, .length = 1, .strength = 20, .axis = 0, .from_share = -.2}},
          20};
}

}  // namespace

double release_signal(const cell_parameters& p, const cell_state& y) {
  const auto i = reference::atrium::currents_of(p, y.data());
  return store_factor * i.release - current_factor * (.5 * i.cal - .2 * i.naca);
}

std::size_t covering_states() {
  return voltages().size() * 6;
}

problem skew_problem(int subdivisions) {
  problem p = sphere_problem(subdivisions, early_stimuli());
  for (std::size_t k = 0; k < p.cells(); ++k) {
    const std::array<double, 3>& on_sphere = p.mesh.position[k];
    const double radius = std::hypot(on_sphere[0], on_sphere[1], on_sphere[2]);
    const std::array<double, 3> at{on_sphere[0] / radius, on_sphere[1] / radius, on_sphere[2] / radius};
    cell_state& y = p.state0[k];
    y[at_v] = -38 + 45 * std::sin(2.1 * at[0] + .3) * std::cos(1.7 * at[1] - .2) + 12 * at[2] * at[0];
    for (std::size_t g = first_gate; g < first_concentration; ++g) {
      const double share = .5 + .45 * std::sin(1.3 * static_cast<double>(g) + 2 * at[1] + at[2] * at[2]);
      y[g] = .3 * y[g] + .7 * share;
    }
    y[at_nai] += .4 * at[0];
    y[at_ki] -= 1.5 * at[1];
    y[at_cai] *= 3 + 2 * at[2];
    y[at_carel] *= 1 + .3 * at[0] * at[1];
    y[at_caup] *= 1 - .2 * at[2];
  }
  return p;
}

problem covering_problem(int subdivisions, gate_rule rule) {
  problem p = sphere_problem(subdivisions, early_stimuli());
  if (subdivisions == 1) p.cell.acetylcholine = .01;
  if (subdivisions == 2) p.cell.acetylcholine_carries_potassium = false;
  if (subdivisions == 3) p.cell.acetylcholine = 0;
  const std::size_t first = subdivisions == 1 ? 12 : 0;  // those of no subdivision are the first ones
  const double lowest = rule == gate_rule::plain ? -88 : -200;
  for (std::size_t k = 0; k < p.cells(); ++k)
    p.state0[k] = covering_state((first + k) % covering_states(), p.cell, lowest);
  return p;
}

}  // namespace reprise::verification::atrium
