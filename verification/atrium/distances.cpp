// SPDX-License-Identifier: MIT
// Computes distances between states of a sphere.
#include "verification/atrium/distances.hpp"

#include <cmath>

#include "verification/checkers/maximum.hpp"
#include "verification/checkers/parallel_maximum.hpp"

namespace reprise::verification::atrium {

using reprise::atrium::cell_state;
using reprise::atrium::variables;

double cell_distance(const cell_state& a, const cell_state& b, const cell_state& scale) {
  double most = 0;
  for (std::size_t n = 0; n < variables; ++n) checkers::raise(most, std::abs(a[n] - b[n]) / scale[n]);
  return most;
}

double distance(const state_of_cells& a, const state_of_cells& b, const cell_state& scale) {
  if (a.size() != b.size() || a.empty()) return checkers::not_a_number;
  return checkers::largest_over(a.size(), [&](std::size_t k) { return cell_distance(a[k], b[k], scale); });
}

cell_state scale_of(const state_of_cells& y) {
  return checkers::largest_of_each<variables>(y.size(), [&](std::size_t k) {
    cell_state magnitude = y[k];
    for (double& value : magnitude) value = std::abs(value);
    return magnitude;
  });
}

}  // namespace reprise::verification::atrium
