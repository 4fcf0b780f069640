// SPDX-License-Identifier: MIT
// Writes down the paper's problems.
#include "reference/tissue/paper.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reprise::reference::tissue::paper {
namespace {

// (1 - tanh z) / 2, written with an exponential: falls from 1 to 0.
double fall(double z) {
  return 1 / (std::exp(2 * z) + 1);
}

// A Gaussian of width 8 cells round the cell (20, 10).
double bump(int column, int row) {
  return std::exp(-(std::pow(column - 20, 2) + std::pow(row - 10, 2)) / 64);
}

// The stable one of the three roots of u^3 - u / 3 + 1 / 15 = 0, by Cardano's trigonometric formula: -0.659146.
double resting_u() {
  return 2. / 3 * std::cos(std::acos(-.9) / 3 + 2 * std::numbers::pi / 3);
}

template <class Value>
std::vector<double> field_of(const problem& p, Value value) {
  std::vector<double> field;
  field.reserve(static_cast<std::size_t>(p.nx) * static_cast<std::size_t>(p.ny));
  for (int j = 0; j < p.ny; ++j)
    for (int i = 0; i < p.nx; ++i) field.push_back(value(i, j));
  return field;
}

void add_hill(state& z, const problem& p, const std::vector<double>& at_rest) {
  switch (p.model) {
    case model::fitzhugh_nagumo:
      z[0] = field_of(p, [&](int i, int j) { return at_rest[0] + 1.5 * bump(i, j); });
      z[1] = field_of(p, [&](int i, int j) { return at_rest[1] + .3 * bump(j, i); });
      break;
    case model::karma:
      z[0] = field_of(p, [](int i, int j) { return 3 * bump(i, j); });
      z[1] = field_of(p, [](int i, int j) { return .4 + .8 * bump(j, i); });
      break;
    case model::bueno_orovio:
      z[0] = field_of(p, [](int i, int j) { return 1.3 * bump(i, j); });
      break;
  }
}

// FitzHugh-Nagumo's v keeps its hill; it has no switch to be lifted above.
void lift(state& z, const problem& p) {
  switch (p.model) {
    case model::fitzhugh_nagumo:
      z[0] = field_of(p, [](int, int) { return 0.; });
      break;
    case model::karma:
      z[0] = field_of(p, [](int i, int j) { return 2 + 2. / 3 * bump(i, j); });
      z[1] = field_of(p, [](int i, int j) { return .4 + .3 * bump(j, i); });
      break;
    case model::bueno_orovio:
      z[0] = field_of(p, [](int i, int j) { return 1 + 1. / 3 * bump(i, j); });
      break;
  }
}

void add_spiral(state& z, const problem& p, const std::vector<double>& at_rest) {
  const double side = p.nx * p.dx;
  // The distance of a cell's centre from the middle of the tissue.
  const auto from_middle = [&](int index) { return p.dx * (index + .5) - .5 * side; };
  switch (p.model) {
    case model::fitzhugh_nagumo: {
      const double wide = side > 40 ? side / 40 : 1;
      z[0] = field_of(
          p, [&](int i, int) { return at_rest[0] + (1 - at_rest[0]) * fall(from_middle(i) / wide); });
      z[1] = field_of(
          p, [&](int, int j) { return at_rest[1] + (.2 - at_rest[1]) * fall(from_middle(j) / wide); });
      break;
    }
    case model::karma:
      z[0] = field_of(p, [&](int i, int) { return 3 * fall(80 * from_middle(i) / side); });
      z[1] = field_of(p, [&](int, int j) { return .4 + 1.1 * fall(from_middle(j) / (.3 * side)); });
      break;
    case model::bueno_orovio:
      z[0] = field_of(p, [&](int i, int) { return fall((i - p.nx / 10.) / 3); });
      break;
  }
}

}  // namespace

int fields(model m) {
  return m == model::bueno_orovio ? 4 : 2;  // (3), (4): u, v; (5): u, v, w, s
}

int stages(method m) {
  switch (m) {
    case method::heun:
      return 2;
    case method::runge_kutta:
      return 4;
    default:
      return 1;
  }
}

double diffusion(model m, int field) {
  switch (m) {
    case model::fitzhugh_nagumo:
      return field == 0 ? 1. : field == 1 ? 1.5 : 0;  // (3), delta = 1.5
    case model::karma:
      return field == 0 ? 11e-4 : 0;  // (4), gamma = 0.0011 cm^2/ms
    case model::bueno_orovio:
      return field == 0 ? 1171e-6 : 0;  // (5), D = 1.171 cm^2/s
  }
  return 0;
}

double spacing(model m) {
  switch (m) {
    case model::fitzhugh_nagumo:
      return 4e-1;  // ten times the printed value, see assumptions.md
    case model::karma:
      return 262e-4;
    case model::bueno_orovio:
      return 3e-2;
  }
  return 0;
}

double step_limit(model m, method how, double dx) {
  double fastest = 0;
  for (int field = 0; field < fields(m); ++field)
    fastest = std::max(fastest, diffusion(m, field) * 16 / (3 * dx * dx));
  // The stability polynomial of Runge-Kutta leaves the unit circle at -2.785, the others' at -2.
  return (how == method::runge_kutta ? 2.785 : 2) / fastest;
}

std::vector<double> rest(const problem& p) {
  const switches<double> at(p);
  switch (p.model) {
    case model::fitzhugh_nagumo:
      return {resting_u(), 2. / 3 * (resting_u() + .1)};
    case model::karma:
      return {0, 0};
    case model::bueno_orovio:
      break;
  }
  // The targets of v, w and s at u = 0, between the two sides of the threshold 0.006.
  const double low = at.hidden(.006), high = at.hidden(-.006);
  return {0, low, low + .94 * high, .5 + .5 * at.tanh(2.0994, -.9087)};
}

state initial_state(beginning from, const problem& p) {
  problem usual;
  usual.model = p.model;
  usual.steepness = steepness;
  const std::vector<double> at_rest = rest(usual);
  state z;
  for (const double value : at_rest) z.push_back(field_of(p, [=](int, int) { return value; }));
  if (from == beginning::spiral) {
    add_spiral(z, p, at_rest);
    return z;
  }
  add_hill(z, p, at_rest);
  if (from == beginning::lifted) lift(z, p);
  return z;
}

std::vector<double> after_stimulus(const problem& p, const std::vector<double>& u) {
  const std::vector<double> stimulus =
      field_of(p, [&](int i, int j) { return fall((i - p.nx * .4) / 3) * fall((j - p.ny * .5) / 3); });
  std::vector<double> after = u;
  for (std::size_t k = 0; k < after.size(); ++k)
    if (stimulus[k] > after[k]) after[k] = stimulus[k];
  return after;
}

}  // namespace reprise::reference::tissue::paper
