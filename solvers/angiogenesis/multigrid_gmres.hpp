// SPDX-License-Identifier: MIT
// Base class of the solvers by GMRES with algebraic multigrid: what they refuse, and their tolerance and work.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/angiogenesis/host_solver.hpp"

namespace reprise::angiogenesis {

// An iteration multiplies by the matrix twice, smooths twice, and orthogonalises against up to 30 vectors.
constexpr work work_of_gmres(double n, double entries, double iterations) {
  return {.bytes_logical = iterations * (4 * entries * 12 + 20 * n * 8),
          .bytes_dram = entries * 12 + n * 16,
          .bytes_dram_once = 0,
          .flops = iterations * (8 * entries + 20 * n)};
}

constexpr double assumed_iterations = 10;

// Of the default step at 400 nodes.
constexpr work work_of_example() {
  return work_of_gmres(1600, 4394, assumed_iterations);
}

class multigrid_gmres : public host_solver {
 public:
  work per_solve() const final {
    const double n = a().order, entries = static_cast<double>(a().value.size());
    const double rounds = effort_.solves > 0
                              ? static_cast<double>(effort_.iterations) / static_cast<double>(effort_.solves)
                              : assumed_iterations;
    return work_of_gmres(n, entries, rounds);
  }
  double tolerance() const final { return stop_at; }

 protected:
  static constexpr double stop_at = 1e-13;
  static constexpr int most_iterations = 2000;
  static constexpr int krylov_vectors = 30;

  // Throws unavailable unless the matrix is diagonally dominant. Jacobi's smoothing and the coarse grids rely
  // on this, and the model's matrix has this property.
  void require_dominance() const {
    for (std::size_t row = 0; row < a().size(); ++row) {
      double excess = 0;
      for (std::size_t e = a().begin(row); e < a().end(row); ++e)
        excess += a().column[e] == static_cast<int>(row) ? std::abs(a().value[e]) : -std::abs(a().value[e]);
      if (!(excess > 0))
        throw unavailable("solves matrices dominated by their diagonal only: row " + std::to_string(row) +
                          " is not");
    }
  }

  // Norms are sums of squares, which overflow long before the values do. Right-hand sides are divided by this.
  static double scale_of(std::span<const double> b) {
    double scale = 0;
    for (double value : b) scale = std::max(scale, std::abs(value));
    return scale == 0 ? 1 : scale;
  }

  // Takes the iterations of one solve and its residual. Rounding errors may keep the true residual slightly
  // above the tolerance.
  void account(long long rounds, double residual) {
    effort_.iterations += rounds;
    if (!(residual < 100 * stop_at))
      throw error("GMRES stopped after " + std::to_string(rounds) + " iterations above its tolerance");
  }
};

}  // namespace reprise::angiogenesis
