// SPDX-License-Identifier: MIT
// Cuts a sphere into patches, one per resident block. A patch consists of cells with consecutive numbers,
// which lie close together, and a margin: the cells of other patches next to them.
#pragma once

#include <algorithm>
#include <vector>

#include "solvers/atrium/problem.hpp"
#include "solvers/common/base/host_device.hpp"

namespace reprise::atrium {

// A cell's neighbours by their places in the patch: own cells first, then the margin.
struct alignas(16) ring {
  unsigned pairs[slots / 2];  // two places each
  unsigned
      wanted;  // 1 if the cell is in the margin of another patch; above that bit, for parts of a sphere, 1 + the
               // number of the cell's first letter to another GPU (tuned_mail.hpp)

  REPRISE_INLINED unsigned place(int slot) const { return pairs[slot / 2] >> (slot % 2 * 16) & 0xffffU; }
};

struct patches {
  int blocks{};
  int cells{};                      // cells per patch; the last patch may have fewer
  int margin{};                     // size of the largest margin
  std::vector<ring> rings;          // [k]
  std::vector<int> margin_cells;    // [block * margin + place]
  std::vector<int> margin_count;    // [block]
  std::vector<int> recorded_first;  // [block], followed by the total number
  std::vector<int> recorded_place;  // place in the patch, [n]
  std::vector<int> recorded_column;
};

inline std::vector<int> margin_of(const mesh& m, int first, int end) {
  std::vector<int> outside;
  for (int k = first; k < end; ++k)
    for (int other : m.neighbours[static_cast<std::size_t>(k)])
      if (other < first || other >= end) outside.push_back(other);
  std::sort(outside.begin(), outside.end());
  outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
  return outside;
}

inline void name_places(const mesh& m, int first, int end, int patch_cells, const std::vector<int>& margin,
                        std::vector<ring>& rings) {
  for (int k = first; k < end; ++k)
    for (std::size_t slot = 0; slot < slots; ++slot) {
      const int other = m.neighbours[static_cast<std::size_t>(k)][slot];
      const auto found = std::lower_bound(margin.begin(), margin.end(), other);
      const bool is_own = other >= first && other < end;
      const auto place = is_own ? other - first : patch_cells + static_cast<int>(found - margin.begin());
      rings[static_cast<std::size_t>(k)].pairs[slot / 2] |= static_cast<unsigned>(place) << (slot % 2 * 16);
    }
  for (int other : margin)
    if (static_cast<std::size_t>(other) < rings.size()) rings[static_cast<std::size_t>(other)].wanted = 1;
}

// Cuts into at most `most_blocks` patches of at least `fewest` cells. Margins of a part of a sphere have cells of its halo
// too.
inline patches cut(const problem& p, int most_blocks, int fewest) {
  patches all;
  const auto cells = static_cast<int>(p.cells());
  all.cells = std::max(std::min(fewest, cells), (cells + most_blocks - 1) / most_blocks);
  all.blocks = (cells + all.cells - 1) / all.cells;
  all.rings.assign(p.cells(), ring{});
  std::vector<std::vector<int>> margins;
  for (int b = 0; b < all.blocks; ++b) {
    const int first = b * all.cells;
    const int end = std::min(first + all.cells, cells);
    margins.push_back(margin_of(p.mesh, first, end));
    name_places(p.mesh, first, end, all.cells, margins.back(), all.rings);
    all.margin_count.push_back(static_cast<int>(margins.back().size()));
    all.margin = std::max(all.margin, all.margin_count.back());
    all.recorded_first.push_back(static_cast<int>(all.recorded_place.size()));
    for (std::size_t n = 0; n < p.recorded.size(); ++n) {
      if (p.recorded[n] < first || p.recorded[n] >= end) continue;
      all.recorded_place.push_back(p.recorded[n] - first);
      all.recorded_column.push_back(static_cast<int>(n));
    }
  }
  all.recorded_first.push_back(static_cast<int>(all.recorded_place.size()));
  for (std::vector<int>& margin : margins) {
    margin.resize(static_cast<std::size_t>(all.margin), 0);
    all.margin_cells.insert(all.margin_cells.end(), margin.begin(), margin.end());
  }
  return all;
}

}  // namespace reprise::atrium
