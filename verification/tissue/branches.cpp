// SPDX-License-Identifier: MIT
// Builds states that reach every branch of a model.
#include "verification/tissue/branches.hpp"

#include <string>

#include "solvers/common/base/error.hpp"

namespace reprise::verification::tissue {
namespace {

using reprise::tissue::model;
using reprise::tissue::problem;

// At a point of interest, close to it on both sides and further away.
void add_around(std::vector<double>& values, double middle) {
  for (const double off : {0., 1e-5, 5e-4, 1e-3, .01})
    for (const double side : {-1., 1.}) values.push_back(middle + side * off);
}

// A switch's middle and both ends of its layer.
void add_switch(std::vector<double>& values, double threshold, double steepness) {
  for (const double end : {-.5, 0., .5}) add_around(values, threshold + end / steepness);
}

// The middle of a tanh of this slope, and the ends of the cubic switch that may replace it.
void add_tanh(std::vector<double>& values, double middle, double slope) {
  add_switch(values, middle, slope / 3);
}

using gates = std::vector<std::vector<double>>;  // sets of all fields but u

const gates& gates_of(model m) {
  // Negative values tell even powers from odd ones; beyond one, Karma's 1.5415 - v^6 changes its sign.
  static const gates one{{.9}, {.1}, {1.2}, {-.7}, {0}};
  static const gates three{{.9, .2, .7}, {.1, .8, .4}, {0, 1, .05}, {1.2, -.1, .9}, {.5, .5, 0}};
  return m == model::bueno_orovio ? three : one;
}

}  // namespace

std::vector<double> branch_values(const problem& p) {
  const double k = p.steepness;
  switch (p.model) {
    case model::fitzhugh_nagumo:
      return {-2, -1, -.659, -.3, 0, .2, .5, 1, 1.7};
    case model::karma: {
      std::vector<double> values{-.5, 0, .3, 2, 3.7, 5, 9};
      add_switch(values, 1, k);
      add_tanh(values, 3, 1);
      return values;
    }
    case model::bueno_orovio:
      break;
  }
  // Beyond five the exponential of the steepest tanh leaves the range of double.
  std::vector<double> values{-6, -.5, -.05, 0, .2, .5, 1.2, 1.8, 6};
  for (const double threshold : {.006, .13, .3}) add_switch(values, threshold, k);
  add_tanh(values, .03, 65);
  add_tanh(values, .65, 2.0458);
  add_tanh(values, .9087, 2.0994);
  add_around(values, 1.55);
  return values;
}

void set_branch_values(problem& p) {
  const std::vector<double> u = branch_values(p);
  const gates& others = gates_of(p.model);
  if (p.cells() < u.size() * others.size())
    throw bad_input("a tissue of " + std::to_string(p.cells()) +
                    " cells cannot hold every branch: give at least " +
                    std::to_string(u.size() * others.size()));
  p.state0.assign(others.front().size() + 1, std::vector<double>(p.cells()));
  for (std::size_t cell = 0; cell < p.cells(); ++cell) {
    p.state0[0][cell] = u[cell % u.size()];
    const std::vector<double>& rest = others[cell / u.size() % others.size()];
    for (std::size_t f = 0; f < rest.size(); ++f) p.state0[f + 1][cell] = rest[f];
  }
}

problem branch_problem(model m, int nx, int ny) {
  problem p;
  p.model = m;
  p.nx = nx;
  p.ny = ny;
  p.dx = 30 * usual_spacing(m);
  set_branch_values(p);
  return p;
}

}  // namespace reprise::verification::tissue
