// SPDX-License-Identifier: MIT
// A sweep as a product with a sparse matrix: x' = G x + g, with G = I - w D^-1 A and g = w D^-1 f. What one would
// write who has a library for such products and no kernel.
#pragma once

#include <cstddef>
#include <vector>

#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {

struct sweep_matrix {
  std::vector<int> row_begin{0};
  std::vector<int> column;
  std::vector<float> value;
  std::vector<float> constant;  // g
};

inline sweep_matrix make_sweep_matrix(const problem& p) {
  sweep_matrix m;
  const float w = p.omega;
  for (int y = 0; y < p.ny; ++y)
    for (int x = 0; x < p.nx; ++x) {
      const auto i = static_cast<std::size_t>(x + p.nx * y);
      const float inverse = w / p.diagonals[4][i];
      for (int k = 0; k < 9; ++k) {
        const int to_x = x + dx(k), to_y = y + dy(k);
        if (to_x < 0 || to_x >= p.nx || to_y < 0 || to_y >= p.ny) continue;
        m.column.push_back(to_x + p.nx * to_y);
        m.value.push_back(k == 4 ? 1.0F - w : -inverse * p.diagonals[static_cast<std::size_t>(k)][i]);
      }
      m.row_begin.push_back(static_cast<int>(m.column.size()));
      m.constant.push_back(inverse * p.f[i]);
    }
  return m;
}

// Nine values with their columns, a gather of x each, g and the store.
constexpr work spmv_work{
    .bytes_logical = 9 * 12 + 8, .bytes_dram = 9 * 8 + 12, .bytes_dram_once = 0, .flops = 19};

}  // namespace reprise::jacobi
