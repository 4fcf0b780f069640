// SPDX-License-Identifier: MIT
// Calls METIS, or reports that it is missing.
#include "solvers/common/ranks/graph_cut.hpp"

#include <array>

#include "solvers/common/base/error.hpp"

#ifdef REPRISE_HAS_METIS
#include <metis.h>
#endif

namespace reprise {

#ifdef REPRISE_HAS_METIS

std::vector<int> cut(const graph& g, int parts) {
  std::vector<int> part(g.vertex_weight.size(), 0);
  if (parts == 1) return part;
  // METIS's integers have 32 or 64 bits, depending on its build, and its arguments are not const.
  std::vector<idx_t> from(g.from.begin(), g.from.end());
  std::vector<idx_t> to(g.to.begin(), g.to.end());
  std::vector<idx_t> edge_weight(g.edge_weight.begin(), g.edge_weight.end());
  std::vector<idx_t> vertex_weight(g.vertex_weight.begin(), g.vertex_weight.end());
  std::vector<idx_t> found(part.size(), 0);
  auto vertices = static_cast<idx_t>(part.size());
  auto count = static_cast<idx_t>(parts);
  idx_t balanced = 1;
  idx_t cut_edges = 0;
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_UFACTOR] = 2;  // allowed excess weight of a part, in thousandths
  const int code = METIS_PartGraphKway(&vertices, &balanced, from.data(), to.data(), vertex_weight.data(),
                                       nullptr, edge_weight.data(), &count, nullptr, nullptr, options.data(),
                                       &cut_edges, found.data());
  if (code != METIS_OK) throw error("METIS_PartGraphKway failed with code " + std::to_string(code));
  for (std::size_t v = 0; v < part.size(); ++v) part[v] = static_cast<int>(found[v]);
  return part;
}

#else

std::vector<int> cut(const graph& g, int parts) {
  if (parts > 1) throw unavailable(REPRISE_METIS_REASON);
  return std::vector<int>(g.vertex_weight.size(), 0);
}

#endif

}  // namespace reprise
