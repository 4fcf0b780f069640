// SPDX-License-Identifier: MIT
// Cuts a graph into parts of equal weight with few edges between them, by METIS.
#pragma once

#include <string>
#include <vector>

namespace reprise {

// Vertex v has the neighbours to[from[v]] ... to[from[v + 1] - 1], over edges of these weights.
struct graph {
  std::vector<int> from;
  std::vector<int> to;
  std::vector<int> edge_weight;
  std::vector<int> vertex_weight;
};

// The part of each vertex, the same wherever it is computed. A part may be empty. Throws unavailable where
// METIS was not built in.
std::vector<int> cut(const graph& g, int parts);

}  // namespace reprise
