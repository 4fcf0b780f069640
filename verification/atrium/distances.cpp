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
  constexpr std::size_t worth_threads = 1 << 12;
  cell_state scale{};
#pragma omp parallel if (y.size() >= worth_threads)
  {
    cell_state mine{};
#pragma omp for schedule(static) nowait
    for (std::size_t k = 0; k < y.size(); ++k)
      for (std::size_t n = 0; n < variables; ++n) checkers::raise(mine[n], std::abs(y[k][n]));
#pragma omp critical(reprise_scale_of)
    for (std::size_t n = 0; n < variables; ++n) checkers::raise(scale[n], mine[n]);
  }
  return scale;
}

}  // namespace reprise::verification::atrium
