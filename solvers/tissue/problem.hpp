// SPDX-License-Identifier: MIT
// Cardiac tissue as plain data: the model, its grid and borders, the form of its switch, and the initial
// state. Place: sections 2 and 3.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "solvers/tissue/terms.hpp"

namespace reprise::tissue {

enum class model { fitzhugh_nagumo, karma, bueno_orovio };
constexpr std::array<model, 3> all_models{model::fitzhugh_nagumo, model::karma, model::bueno_orovio};
std::string_view to_string(model m);

// Number of fields of a model, u first. FitzHugh-Nagumo: u, v. Karma: u, v. Bueno-Orovio: u, v, w, s.
constexpr int fields_of(model m) {
  return m == model::bueno_orovio ? 4 : 2;
}
// Number of fields that diffuse; they are the first ones.
constexpr int diffusing_fields_of(model m) {
  return m == model::fitzhugh_nagumo ? 2 : 1;
}

// Under implicit_euler and rush_larsen that method advances the gates of Bueno-Orovio,
// and explicit Euler advances u.
enum class method { euler, implicit_euler, rush_larsen, heun, runge_kutta };
constexpr std::array<method, 5> all_methods{method::euler, method::implicit_euler, method::rush_larsen,
                                            method::heun, method::runge_kutta};
std::string_view to_string(method m);
// Evaluations of the right-hand side in a step, n_s in the paper.
constexpr int stages_of(method m) {
  return m == method::heun ? 2 : m == method::runge_kutta ? 4 : 1;
}
constexpr bool has_method(model of, method m) {
  return (m != method::implicit_euler && m != method::rush_larsen) || of == model::bueno_orovio;
}

// no_flux   a ghost cell has the value of the nearest border cell: -1 -> 0, N -> N-1
// mirrored  a ghost cell has the value mirrored at the border cell: -1 -> 1, N -> N-2
// periodic  a ghost cell has the value from the opposite side: -1 -> N-1, N -> 0
enum class edge { no_flux, mirrored, periodic };
std::string_view to_string(edge e);

struct problem {
  tissue::model model{};
  int nx{};  // cells along x, which runs fastest
  int ny{};
  double dx{};
  edge border{edge::no_flux};
  switch_form form{switch_form::cubic};
  double steepness{28.4};  // k; the layer is 1/k wide
  // Makes Bueno-Orovio's switches between time constants and targets sharp. Those of its currents
  // and rates keep the form above.
  bool has_sharp_constants{};
  // Section 6's suggestions: replace tanh by a cubic switch of the same slope at its middle, and
  // compute v^6 by multiplication.
  bool replaces_tanh{};
  bool multiplies_powers{true};
  int vector_width{};  // doubles in a vector on the host: 1, 2, 4, 8; 0 for as many as the processor has
  std::vector<std::vector<double>> state0;  // [field][cell]

  std::size_t cells() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny); }
  double x(int i) const { return (i + .5) * dx; }
  double y(int j) const { return (j + .5) * dx; }
};

inline chosen_terms terms_of(const problem& p) {
  return {p.steepness, p.form, p.has_sharp_constants, p.replaces_tanh, p.multiplies_powers};
}

inline bool has_usual_terms(const problem& p) {
  return p.form == switch_form::cubic && !p.has_sharp_constants && !p.replaces_tanh && p.multiplies_powers;
}

// The paper's grid spacing. For FitzHugh-Nagumo it is ten times the printed value, which fits
// none of the paper's results.
double usual_spacing(model m);
// The rest state, one value per field.
std::array<double, 4> rest_of(const problem& p);
// Diffusion coefficient of a field; 0 if it does not diffuse.
double diffusion_of(model m, int field);

// These functions throw bad_input for fewer than three cells per side, more cells than an int can count, or a
// spacing that is not a positive number.
//
// The tissue is at rest except for a smooth hill of u off the centre (for FitzHugh-Nagumo and Karma also of
// v). The hill crosses every switch. Convergence is measured from this state.
problem hill_problem(model m, int nx, int ny, double dx);
// A lower hill on a plateau above every switch, so that no cell meets a kink while errors are measured.
problem lifted_problem(model m, int nx, int ny, double dx);
// The beginning of a spiral on n x n cells: a wave and, across it, a step of the recovery variable.
// Bueno-Orovio has only a plane wave; a second stimulus behind it follows at second_stimulus_ms.
problem spiral_problem(model m, int n, double dx);
constexpr double second_stimulus_ms = 345;
void apply_second_stimulus(const problem& p, std::vector<double>& u);

// Largest stable step for diffusion alone: 3 dx^2 / (8 D) for Euler and Heun,
// 2.785 / 2 times that for Runge-Kutta.
double diffusive_step_limit(const problem& p, method m);

// Throws bad_input if dt or the steepness is not a positive number, or if the model
// does not support the method.
void require_method(const problem& p, method m, double dt);

}  // namespace reprise::tissue
