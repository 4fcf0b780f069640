// SPDX-License-Identifier: MIT
// States as columns, layout (18) of the paper: variable n of cell k is element [n * stride + k]. All threads copy them,
// because the largest spheres have two gigabytes of states.
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/atrium/problem.hpp"

namespace reprise::atrium {

constexpr std::size_t cells_worth_threads = 1 << 14;

// Elements beyond the last cell are those of `beyond`.
template <class Real>
void put_in_columns(const std::vector<cell_state>& cells, const cell_state& beyond, std::size_t stride,
                    Real* onto) {
#pragma omp parallel for schedule(static) if (stride >= cells_worth_threads)
  for (std::size_t k = 0; k < stride; ++k) {
    const cell_state& y = k < cells.size() ? cells[k] : beyond;
    for (std::size_t n = 0; n < variables; ++n) onto[n * stride + k] = static_cast<Real>(y[n]);
  }
}

template <class Real>
std::vector<cell_state> taken_from_columns(const Real* from, std::size_t stride, std::size_t cells) {
  std::vector<cell_state> all(cells);
#pragma omp parallel for schedule(static) if (cells >= cells_worth_threads)
  for (std::size_t k = 0; k < cells; ++k)
    for (std::size_t n = 0; n < variables; ++n) all[k][n] = static_cast<double>(from[n * stride + k]);
  return all;
}

}  // namespace reprise::atrium
