// SPDX-License-Identifier: MIT
// Cuts the grid into blocks of rows, one per rank. A rank also holds as many of its neighbours' rows as five
// stages depend on, so that one exchange per attempt is enough.
#pragma once

#include <algorithm>
#include <string>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_device.hpp"
#include "solvers/curvature/problem.hpp"

namespace reprise::curvature {

// The rows first ... last - 1.
struct row_range {
  int first{};
  int last{};
};

constexpr int stages_of_attempt = 5;

// How far the right-hand side of a node reaches.
REPRISE_HOST_DEVICE constexpr int reach_of(flow f) {
  return f == flow::willmore ? 2 : 1;
}

constexpr int halo_rows(flow f) {
  return stages_of_attempt * reach_of(f);
}

struct row_block {
  row_range own;   // inner rows of this rank alone
  row_range held;  // with the halo or the border
};

// One of `ranks` blocks, whose heights differ by at most one row.
inline row_block block_of(const grid& g, int rank, int ranks) {
  const int inner = g.cells_y - 1;
  const auto start_of = [&](int r) { return 1 + r * (inner / ranks) + std::min(r, inner % ranks); };
  const row_range own{start_of(rank), start_of(rank + 1)};
  const int halo = halo_rows(g.flow);
  return {own, {std::max(own.first - halo, 0), std::min(own.last + halo, g.nodes_y())}};
}

// Throws unavailable if a halo would reach beyond the neighbour's own rows.
inline void require_rows_for(const grid& g, int ranks) {
  const int inner = g.cells_y - 1;
  const int halo = halo_rows(g.flow);
  if (ranks == 1 || inner / ranks >= halo) return;
  throw unavailable(std::to_string(inner) + " inner rows are too few for " + std::to_string(ranks) +
                    " ranks, of which each needs " + std::to_string(halo) +
                    " for its neighbours: start at most " + std::to_string(std::max(1, inner / halo)));
}

// The rows that stage 0 ... 4 computes: the rank's own rows and those on which its later stages depend.
inline row_range rows_of_stage(const grid& g, const row_block& b, int stage) {
  const int beyond = (stages_of_attempt - 1 - stage) * reach_of(g.flow);
  return {std::max(b.own.first - beyond, 1), std::min(b.own.last + beyond, g.cells_y)};
}

}  // namespace reprise::curvature
