// SPDX-License-Identifier: MIT
// The paper's problem by its own numbers: the fact sheet's, with their place. Nothing here is shared with the
// problem that the solvers read, which is compared with it.
#pragma once

#include <array>
#include <vector>

#include "solvers/atrium/problem.hpp"

namespace reprise::reference::atrium {

// The sphere of section 2 as a graph. Its vertices have no particular order.
struct graph {
  double radius{};                               // mm
  std::vector<std::array<double, 3>> vertex;     // mm
  std::vector<std::vector<std::size_t>> beside;  // the five or six neighbours of each
};
graph paper_sphere(int subdivisions);

namespace paper {
constexpr double diffusion = .06;     // section 2: D in mm^2/ms
constexpr double acetylcholine = .1;  // section 1: uM, at rest about -85.3 mV
constexpr double t_end = 300;         // section 5.2, the simulated time in ms

// Section 2: 40 pA/pF for 2 ms, S1 at 1 ms where z/R >= 0.9, S2 at 250 ms where x/R >= 0.9.
struct pulse {
  double start, length, strength;
  std::size_t axis;
  double from_share;
};
constexpr std::array<pulse, 2> pulses{{{1, 2, 40, 2, .9}, {250, 2, 40, 0, .9}}};

// Section 1: V | m h j oa oi ua ui xr xs d f fCa u v w | Nai Ki Cai Caup Carel.
constexpr std::array<double, 21> initial_state{-81.18, 2.908e-3, .9649,  .9775,    .03043,   .9992, 4.966e-3,
                                               .9986,  3.296e-5, .01869, 1.367e-4, .9996,    .7755, 0,
                                               1,      .9992,    11.17,  139.0,    1.013e-4, 1.488, 1.488};

// Our guards of section 3.4: the first step, the least one, and the number of attempts that is given up after.
constexpr double first_dt = .01;  // ms
constexpr double least_dt = 5e-6;
constexpr double attempts_at_once = 1000, attempts_of_ms = 2000;
}  // namespace paper

// Section 2: the k-th of 100 is floor(N frac((k + 1/2) 0.6180339887498949)); all cells where there are fewer.
std::vector<int> paper_recorded_cells(std::size_t cells);

}  // namespace reprise::reference::atrium
