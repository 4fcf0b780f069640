// SPDX-License-Identifier: MIT
// Cardiac tissue as plain data: which model, on which grid, with which borders, with which form of the
// models' switch, and from which state. Place: sections 2 and 3.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace reprise::tissue {

enum class model { fitzhugh_nagumo, karma, bueno_orovio };
constexpr std::array<model, 3> all_models{model::fitzhugh_nagumo, model::karma, model::bueno_orovio};
std::string_view to_string(model m);

// Fields of a model, u first. FitzHugh-Nagumo: u, v. Karma: u, v. Bueno-Orovio: u, v, w, s.
constexpr int fields_of(model m) {
  return m == model::bueno_orovio ? 4 : 2;
}
// How many of them, from the first, diffuse.
constexpr int diffusing_fields_of(model m) {
  return m == model::fitzhugh_nagumo ? 2 : 1;
}

// implicit_euler and rush_larsen treat the gates of Bueno-Orovio so, and u by explicit Euler.
enum class method { euler, implicit_euler, rush_larsen, heun, runge_kutta };
constexpr std::array<method, 5> all_methods{method::euler, method::implicit_euler, method::rush_larsen,
                                            method::heun, method::runge_kutta};
std::string_view to_string(method m);
// Evaluations of the right-hand side in a step: n_s of the paper.
constexpr int stages_of(method m) {
  return m == method::heun ? 2 : m == method::runge_kutta ? 4 : 1;
}
constexpr bool has_method(model of, method m) {
  return (m != method::implicit_euler && m != method::rush_larsen) || of == model::bueno_orovio;
}

// no_flux   a ghost cell has the value of the cell across the border's edge: -1 -> 0, N -> N-1
// mirrored  it has the value mirrored at the border cell: -1 -> 1, N -> N-2
// periodic  it has the value from the opposite side: -1 -> N-1, N -> 0
enum class edge { no_flux, mirrored, periodic };
std::string_view to_string(edge e);

// The models' switch H over its layer |x| < 1/(2k), from a jump to ever smoother polynomials of y = k x +
// 1/2. cubic is the paper's; tanh, (1 + tanh(3 k x)) / 2, has the cubic's slope at zero and no layer.
enum class switch_form { heaviside, linear, cubic, quintic, septic, nonic, tanh };
constexpr std::array<switch_form, 7> all_switch_forms{
    switch_form::heaviside, switch_form::linear, switch_form::cubic, switch_form::quintic,
    switch_form::septic,    switch_form::nonic,  switch_form::tanh};
std::string_view to_string(switch_form f);

struct problem {
  model what{};
  int nx{};  // cells along x, which runs fastest
  int ny{};
  double dx{};
  edge border{edge::no_flux};
  switch_form form{switch_form::cubic};
  double steepness{28.4};  // k: the layer is 1/k wide
  // Bueno-Orovio's switches between time constants and targets are sharp, only those of its currents and
  // rates are of the form above.
  bool has_sharp_constants{};
  // Section 6's suggestions: tanh by a cubic switch of the same slope at its middle, v^6 by multiplication.
  bool replaces_tanh{};
  bool multiplies_powers{true};
  int vector_width{};  // doubles in a vector on the host: 1, 2, 4, 8; 0: as many as the processor has
  std::vector<std::vector<double>> state0;  // [field][cell]

  std::size_t cells() const { return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny); }
  double x(int i) const { return (i + .5) * dx; }
  double y(int j) const { return (j + .5) * dx; }
};

// The paper's spacing; FitzHugh-Nagumo's is ten times what is printed, which nothing else printed fits.
double usual_spacing(model m);
// The rest state, field by field.
std::array<double, 4> rest_of(const problem& p);
// Diffusion coefficient of a field: 0 where it does not diffuse.
double diffusion_of(model m, int field);

// These throw bad_input for fewer than three cells a side, more cells than an int can count, or a spacing
// that is not a positive number. At rest but for a smooth hill of u (and, for FitzHugh-Nagumo and Karma, of
// v) off the centre, which crosses every switch: what convergence is measured from.
problem hill_problem(model m, int nx, int ny, double dx);
// A lower hill on a plateau above every switch: no cell meets a kink within the time that errors are
// measured.
problem lifted_problem(model m, int nx, int ny, double dx);
// What a spiral grows from, on n x n cells: a wave and, across it, a step of the recovery variable; for
// Bueno-Orovio a plane wave alone, behind which a second stimulus comes at second_stimulus_ms.
problem spiral_problem(model m, int n, double dx);
constexpr double second_stimulus_ms = 345;
void apply_second_stimulus(const problem& p, std::vector<double>& u);

// Largest stable step for diffusion alone: 3 dx^2 / (8 D) for Euler and Heun, 2.785 / 2 times that for
// Runge-Kutta.
double diffusive_step_limit(const problem& p, method m);

// Throws bad_input where dt is not a positive number, or the model has not the method.
void require_method(const problem& p, method m, double dt);

}  // namespace reprise::tissue
