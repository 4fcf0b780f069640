// SPDX-License-Identifier: MIT
// Disturbs the highest modes and measures what is left of them.
#include "verification/tissue/stability.hpp"

#include <algorithm>
#include <cmath>

#include "verification/checkers/maximum.hpp"
#include "verification/tissue/check.hpp"

namespace reprise::verification::tissue {
namespace {

using reprise::tissue::problem;
using state = reference::tissue::state;

int diffusing_fields(const problem& p) {
  int count = 0;
  while (count < reference::tissue::paper::fields(p.model) &&
         reference::tissue::paper::diffusion(p.model, count) > 0)
    ++count;
  return count;
}

// The mean of the squares of the filtered field.
double mean_square(const problem& p, const std::vector<double>& field) {
  const auto at = [&](int i, int j) {
    const auto column = static_cast<std::size_t>(std::clamp(i, 0, p.nx - 1));
    const auto row = static_cast<std::size_t>(std::clamp(j, 0, p.ny - 1));
    return field[column + static_cast<std::size_t>(p.nx) * row];
  };
  double sum = 0;
  for (int j = 0; j < p.ny; ++j)
    for (int i = 0; i < p.nx; ++i) {
      const double axial = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
      const double diagonal = at(i - 1, j - 1) + at(i + 1, j - 1) + at(i - 1, j + 1) + at(i + 1, j + 1);
      sum += std::pow((4 * at(i, j) - 2 * axial + diagonal) / 16, 2);
    }
  return sum / static_cast<double>(p.cells());
}

bool decays_in_reference(const problem& p, reprise::tissue::method how, double dt) {
  const auto plain = expect_steps(p, how, dt, stability_steps);
  const auto rough = expect_steps(disturbed(p), how, dt, stability_steps);
  return has_decayed(p, plain->answer(), rough->answer());
}

}  // namespace

problem disturbed(problem p) {
  for (int f = 0; f < diffusing_fields(p); ++f)
    for (std::size_t cell = 0; cell < p.cells(); ++cell) {
      const std::size_t row = cell / static_cast<std::size_t>(p.nx);
      const std::size_t column = cell % static_cast<std::size_t>(p.nx);
      p.state0[static_cast<std::size_t>(f)][cell] += (row + column) % 2 == 0 ? disturbance : -disturbance;
    }
  return p;
}

double checkerboard(const problem& p, const state& a, const state& b) {
  const auto fields = static_cast<std::size_t>(diffusing_fields(p));
  if (a.size() < fields || b.size() < fields) return checkers::not_a_number;
  double most = 0;
  for (std::size_t f = 0; f < fields; ++f) {
    if (a[f].size() != p.cells() || b[f].size() != p.cells()) return checkers::not_a_number;
    std::vector<double> difference(p.cells());
    for (std::size_t cell = 0; cell < p.cells(); ++cell) difference[cell] = b[f][cell] - a[f][cell];
    checkers::raise(most, mean_square(p, difference));
  }
  return std::isfinite(most) ? std::sqrt(most) : checkers::not_a_number;
}

bool has_decayed(const problem& p, const state& plain, const state& rough) {
  return checkerboard(p, plain, rough) < checkerboard(p, p.state0, disturbed(p).state0);
}

std::vector<checkers::finding> judge_limit(const problem& p, reprise::tissue::method how, double stable_dt,
                                           double unstable_dt) {
  return {{"timed_stable_error", decays_in_reference(p, how, stable_dt) ? 0. : 1., 0,
           "the reference's disturbance decays with the largest stable step"},
          {"timed_unstable_error", decays_in_reference(p, how, unstable_dt) ? 1. : 0., 0,
           "the reference's disturbance does not decay with the shortest unstable step"}};
}

}  // namespace reprise::verification::tissue
