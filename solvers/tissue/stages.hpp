// SPDX-License-Identifier: MIT
// A step of each method as a list of stages, its flops, and the number of steps that a
// tile with a margin can make.
#pragma once

#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {

// A stage evaluates the right-hand side k of its argument, which in the first stage is the state. The last
// stage takes the state z to z + h sum(weight k). Every other stage makes the next argument z + h k.
template <class Real>
struct stage_in {
  Real weight, h;
};
using stage = stage_in<double>;

// Plain data, so that it can be a kernel argument.
template <class Real>
struct schedule_in {
  int stages;
  stage_in<Real> of[4];
};
using schedule = schedule_in<double>;

inline schedule schedule_of(method how, double dt) {
  switch (how) {
    case method::heun:
      return {2, {{1, dt}, {1, dt / 2}}};
    case method::runge_kutta:
      return {4, {{1, dt / 2}, {2, dt / 2}, {2, dt}, {1, dt / 6}}};
    default:
      return {1, {{1, dt}}};
  }
}

template <class Real>
schedule_in<Real> rounded(const schedule& how) {
  schedule_in<Real> all{how.stages, {}};
  for (int s = 0; s < how.stages; ++s)
    all.of[s] = {static_cast<Real>(how.of[s].weight), static_cast<Real>(how.of[s].h)};
  return all;
}

inline double step_flops(model what, method how) {
  const double fields = fields_of(what);
  return stages_of(how) * (local_flops(what) + laplacian_flops * diffusing_fields_of(what)) +
         fields * (how == method::runge_kutta ? 13
                   : how == method::heun      ? 5
                                              : 2);
}

// Exponentials, hyperbolic tangents and powers in one evaluation of a cell's local terms. With `mirrors`, H(-x) is
// evaluated too, where others take 1 - H(x).
inline double functions_of_cell(const problem& p, method how, bool mirrors) {
  if (p.model == model::fitzhugh_nagumo) return 0;
  const bool is_karma = p.model == model::karma;
  const double bent = p.replaces_tanh ? 0 : is_karma ? 1 : 3;
  const double powers = is_karma && !p.multiplies_powers ? 1 : 0;
  const double layers = is_karma ? 1 : (p.has_sharp_constants ? 2 : 3) * (mirrors ? 2 : 1);
  const double switches = p.form == switch_form::tanh ? layers : 0;
  const double gates = how == method::rush_larsen ? 3 : 0;
  return bent + powers + switches + gates;
}

// Width of the margin that variants read around a tile which they keep on chip. One ring of it becomes stale
// in each stage, so four stages are one step of Runge-Kutta, two of Heun or four of Euler.
constexpr int margin = 4;

constexpr int steps_of_margin(method m) {
  return margin / stages_of(m);
}

// Work of such a variant, which reads and writes the state once in as many steps as a margin lasts.
inline work work_of_tiles(model what, method how, double word_bytes) {
  const double word = fields_of(what) * word_bytes;
  return {.bytes_logical = 2 * word / steps_of_margin(how) +
                           stages_of(how) * 10.0 * word_bytes * diffusing_fields_of(what),
          .bytes_dram = 2 * word / steps_of_margin(how),
          .bytes_dram_once = 0,
          .flops = step_flops(what, how)};
}

}  // namespace reprise::tissue
