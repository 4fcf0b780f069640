// SPDX-License-Identifier: MIT
// Partitions a graph by METIS into parts of equal weight with few edges between them.
#pragma once

#include <string>
#include <vector>

namespace reprise {

// A graph in compressed form. Vertex v has the neighbours to[from[v]] ... to[from[v + 1] - 1];
// edge_weight has the same order.
struct graph {
  std::vector<int> from;
  std::vector<int> to;
  std::vector<int> edge_weight;
  std::vector<int> vertex_weight;
};

// Returns the part of each vertex; the result is the same on every rank. A part may be empty. Throws
// unavailable if METIS was not built in.
std::vector<int> cut(const graph& g, int parts);

}  // namespace reprise
