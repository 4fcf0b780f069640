// SPDX-License-Identifier: MIT
// Builds the tissue models' initial states, which the paper does not give.
#include "solvers/tissue/problem.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "solvers/common/base/error.hpp"

namespace reprise::tissue {
namespace {

// The resting u of FitzHugh-Nagumo, from v = (u + 0.1) / 1.5 and u - v - u^3 = 0, by Newton's method.
double resting_voltage() {
  double u = -.66;
  for (int n = 0; n < 8; ++n) u -= (u - (u + .1) / 1.5 - u * u * u) / (1 / 3.0 - 3 * u * u);
  return u;
}

problem empty_problem(model m, int nx, int ny, double dx) {
  const std::string size = std::to_string(nx) + "x" + std::to_string(ny);
  if (nx < 3 || ny < 3)
    throw bad_input("a tissue of " + size + " cells is too small: give at least 3 a side");
  if (nx > std::numeric_limits<int>::max() / 16 / ny)
    throw bad_input("a tissue of " + size +
                    " cells is more than the solvers can count: give at most 134 million");
  if (!(dx > 0) || std::isinf(dx))
    throw bad_input("the spacing dx is " + std::to_string(dx) + ": give a positive number");
  problem p;
  p.model = m;
  p.nx = nx;
  p.ny = ny;
  p.dx = dx;
  return p;
}

void fill_with_rest(problem& p) {
  const auto rest = rest_of(p);
  for (int f = 0; f < fields_of(p.model); ++f)
    p.state0.emplace_back(p.cells(), rest.at(static_cast<std::size_t>(f)));
}

void edit(const problem& p, std::vector<double>& field,
          const std::function<double(int, int, double)>& value) {
  for (int j = 0; j < p.ny; ++j)
    for (int i = 0; i < p.nx; ++i) {
      double& here =
          field[static_cast<std::size_t>(i) + static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(j)];
      here = value(i, j, here);
    }
}

// Falls from 1 on the left to 0 on the right.
double falling(double z) {
  return .5 * (1 - std::tanh(z));
}

// A hill off the centre, with a width of eight cells.
double hill(int i, int j) {
  return std::exp(-((i - 20) * (i - 20) + (j - 10) * (j - 10)) / 64.0);
}

}  // namespace

std::string_view to_string(model m) {
  constexpr std::array<std::string_view, 3> names{"fitzhugh_nagumo", "karma", "bueno_orovio"};
  return names.at(static_cast<std::size_t>(m));
}

std::string_view to_string(method m) {
  constexpr std::array<std::string_view, 5> names{"euler", "implicit_euler", "rush_larsen", "heun",
                                                  "runge_kutta"};
  return names.at(static_cast<std::size_t>(m));
}

std::string_view to_string(edge e) {
  constexpr std::array<std::string_view, 3> names{"no_flux", "mirrored", "periodic"};
  return names.at(static_cast<std::size_t>(e));
}

double usual_spacing(model m) {
  constexpr std::array<double, 3> spacing{.4, .0262, .03};
  return spacing.at(static_cast<std::size_t>(m));
}

std::array<double, 4> rest_of(const problem& p) {
  switch (p.model) {
    case model::fitzhugh_nagumo: {
      const double u = resting_voltage();
      return {u, (u + .1) / 1.5, 0, 0};
    }
    case model::karma:
      return {0, 0, 0, 0};
    case model::bueno_orovio:
      break;
  }
  constexpr double threshold = .006;
  const chosen_terms terms = terms_of(p);
  const double below = terms.hidden(threshold);
  const double above = terms.hidden(-threshold);
  const double s = terms.rising(2.0994, 0 - .9087);
  return {0, below, below + above * .94, s};
}

double diffusion_of(model m, int field) {
  if (field >= diffusing_fields_of(m)) return 0;
  switch (m) {
    case model::fitzhugh_nagumo:
      return field == 0 ? 1 : 1.5;
    case model::karma:
      return .0011;
    case model::bueno_orovio:
      return 1.171e-3;
  }
  return 0;
}

problem hill_problem(model m, int nx, int ny, double dx) {
  problem p = empty_problem(m, nx, ny, dx);
  fill_with_rest(p);
  const double height = m == model::fitzhugh_nagumo ? 1.5 : m == model::karma ? 3 : 1.3;
  edit(p, p.state0[0], [&](int i, int j, double rest) { return rest + height * hill(i, j); });
  if (m == model::fitzhugh_nagumo)
    edit(p, p.state0[1], [&](int i, int j, double rest) { return rest + .3 * hill(j, i); });
  if (m == model::karma) edit(p, p.state0[1], [&](int i, int j, double) { return .4 + .8 * hill(j, i); });
  return p;
}

problem lifted_problem(model m, int nx, int ny, double dx) {
  problem p = hill_problem(m, nx, ny, dx);
  const double plateau = m == model::fitzhugh_nagumo ? 0 : m == model::karma ? 2 : 1;
  edit(p, p.state0[0], [&](int i, int j, double) { return plateau + plateau / 3 * hill(i, j); });
  if (m == model::karma) edit(p, p.state0[1], [&](int i, int j, double) { return .4 + .3 * hill(j, i); });
  return p;
}

problem spiral_problem(model m, int n, double dx) {
  problem p = empty_problem(m, n, n, dx);
  fill_with_rest(p);
  const double length = n * dx;
  const double middle = length / 2;
  switch (m) {
    case model::fitzhugh_nagumo: {
      const double width = std::max(length / 40, 1.0);
      edit(p, p.state0[0],
           [&](int i, int, double rest) { return rest + falling((p.x(i) - middle) / width) * (1 - rest); });
      edit(p, p.state0[1],
           [&](int, int j, double rest) { return rest + falling((p.y(j) - middle) / width) * (.2 - rest); });
      break;
    }
    case model::karma:
      edit(p, p.state0[0],
           [&](int i, int, double) { return 3 * falling((p.x(i) - middle) / (length / 80)); });
      edit(p, p.state0[1],
           [&](int, int j, double) { return .4 + 1.1 * falling((p.y(j) - middle) / (.3 * length)); });
      break;
    case model::bueno_orovio:
      edit(p, p.state0[0], [&](int i, int, double) { return falling((i - .1 * n) / 3); });
      break;
  }
  return p;
}

void apply_second_stimulus(const problem& p, std::vector<double>& u) {
  edit(p, u, [&](int i, int j, double here) {
    return std::max(here, falling((i - .4 * p.nx) / 3) * falling((j - .5 * p.ny) / 3));
  });
}

double diffusive_step_limit(const problem& p, method m) {
  double diffusion = 0;
  for (int f = 0; f < fields_of(p.model); ++f) diffusion = std::max(diffusion, diffusion_of(p.model, f));
  const double real_axis = m == method::runge_kutta ? 2.785 : 2;
  return real_axis * 3 * p.dx * p.dx / (16 * diffusion);
}

void require_method(const problem& p, method m, double dt) {
  if (!(dt > 0) || std::isinf(dt))
    throw bad_input("the step dt is " + std::to_string(dt) + ": give a positive number");
  if (!(p.steepness > 0) || std::isinf(p.steepness))
    throw bad_input("the switch's steepness is " + std::to_string(p.steepness) + ": give a positive number");
  if (!has_method(p.model, m))
    throw bad_input(std::string(to_string(m)) + " treats gates, and " + std::string(to_string(p.model)) +
                    " has none: give euler, heun or runge_kutta");
}

}  // namespace reprise::tissue
