// SPDX-License-Identifier: MIT
// The grid cut into blocks of rows, one for each rank. A rank holds as many rows of its neighbours as five
// stages look at, so that neighbours meet once an attempt.
#pragma once

#include <algorithm>
#include <string>

#include "solvers/common/error.hpp"
#include "solvers/common/host_device.hpp"
#include "solvers/curvature/problem.hpp"

namespace reprise::curvature {

// From `first` to the one before `last`.
struct row_range {
  int first{};
  int last{};
};

constexpr int stages_of_attempt = 5;

// As far as the right-hand side of a node looks.
REPRISE_HOST_DEVICE constexpr int reach_of(flow f) {
  return f == flow::willmore ? 2 : 1;
}

constexpr int halo_rows(flow f) {
  return stages_of_attempt * reach_of(f);
}

struct row_block {
  row_range own;   // inner rows that no other rank has
  row_range held;  // with the halo, or the border
};

// Of `ranks` blocks, whose heights differ by at most one row.
inline row_block block_of(const grid& g, int rank, int ranks) {
  const int inner = g.cells_y - 1;
  const auto start_of = [&](int r) { return 1 + r * (inner / ranks) + std::min(r, inner % ranks); };
  const row_range own{start_of(rank), start_of(rank + 1)};
  const int halo = halo_rows(g.what);
  return {own, {std::max(own.first - halo, 0), std::min(own.last + halo, g.nodes_y())}};
}

// Throws unavailable where a halo would reach past the neighbour's own rows.
inline void require_rows_for(const grid& g, int ranks) {
  const int inner = g.cells_y - 1;
  const int halo = halo_rows(g.what);
  if (ranks == 1 || inner / ranks >= halo) return;
  throw unavailable(std::to_string(inner) + " inner rows are too few for " + std::to_string(ranks) +
                    " ranks, of which each needs " + std::to_string(halo) +
                    " for its neighbours: start at most " + std::to_string(std::max(1, inner / halo)));
}

// What a stage computes, 0 to 4: its own rows and those that its later stages look at.
inline row_range rows_of_stage(const grid& g, const row_block& b, int stage) {
  const int beyond = (stages_of_attempt - 1 - stage) * reach_of(g.what);
  return {std::max(b.own.first - beyond, 1), std::min(b.own.last + beyond, g.cells_y)};
}

}  // namespace reprise::curvature
