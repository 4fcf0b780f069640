// SPDX-License-Identifier: MIT
// Cuts the sphere into parts, one per rank. Place: beyond the paper, which has one GPU.
//
// A part numbers its own cells with the interior first, whose neighbours are all its own, and
// then the border, or in the order of the whole sphere. After them comes the halo: the cells of
// other parts next to its border, of which it knows only the voltages.
//
//   part 0   [ interior | border ][ halo: of part 1, of part 3 ... ]
//   numbers    0 ...              cells() ...
//
// Halos are ordered by owner, and within an owner by the numbers on the whole sphere. A part sends its cells
// to a neighbour in the same order, so they arrive in the right places.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "solvers/atrium/problem.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/ranks/graph_cut.hpp"
#include "solvers/common/ranks/message.hpp"

namespace reprise::atrium {

// A neighbouring part and the exchange with it.
struct bordering {
  int rank{};
  std::vector<int> gives;  // own cells whose voltages are sent to it
  int first{};             // first of the halo cells that it sends, `count` in all
  int count{};
};

struct part {
  problem own;     // without positions; neighbours and recorded cells in the part's numbers
  int interior{};  // cells before the border; all cells if the border is not apart
  int halo{};
  std::vector<int> number;  // of each own cell, on the whole sphere
  std::vector<int> column;  // of each recorded cell, among all recorded cells
  std::vector<bordering> beside;

  int cells() const { return static_cast<int>(number.size()); }
};

// The graph that METIS partitions. Its vertices are patches of cells with consecutive numbers, which lie
// close together. Up to some hundred thousand cells a patch is one cell. For ten million cells larger patches
// reduce METIS's time from a minute to a second.
inline graph patches_of(const mesh& m) {
  constexpr std::size_t most_patches = 200'000;
  const std::size_t cells = m.cells();
  const std::size_t size = 1 + (cells - 1) / most_patches;
  graph g;
  g.from.push_back(0);
  std::vector<int> near;
  for (std::size_t first = 0; first < cells; first += size) {
    const std::size_t end = std::min(first + size, cells);
    near.clear();
    for (std::size_t k = first; k < end; ++k)
      for (int other : m.neighbours[k])
        if (static_cast<std::size_t>(other) / size != first / size)
          near.push_back(static_cast<int>(static_cast<std::size_t>(other) / size));
    std::sort(near.begin(), near.end());
    for (auto same = near.begin(); same != near.end();) {
      const auto next = std::upper_bound(same, near.end(), *same);
      g.to.push_back(*same);
      g.edge_weight.push_back(static_cast<int>(next - same));
      same = next;
    }
    g.from.push_back(static_cast<int>(g.to.size()));
    g.vertex_weight.push_back(static_cast<int>(end - first));
  }
  return g;
}

// Throws unavailable if a part would be empty.
inline void require_parts(const std::vector<int>& owner, int parts) {
  std::vector<char> has_cells(static_cast<std::size_t>(parts), 0);
  for (int rank : owner) has_cells[static_cast<std::size_t>(rank)] = 1;
  const auto empty = std::find(has_cells.begin(), has_cells.end(), 0) - has_cells.begin();
  if (empty < parts)
    throw unavailable("rank " + std::to_string(empty) + " of " + std::to_string(parts) +
                      " would have none of the " + std::to_string(owner.size()) +
                      " cells: start fewer ranks");
}

// The part of each cell. Throws unavailable if there are more parts than cells, or
// if METIS leaves a part empty.
inline std::vector<int> owners_of(const mesh& m, int parts) {
  if (static_cast<std::size_t>(parts) > m.cells())
    throw unavailable(std::to_string(parts) + " ranks for " + std::to_string(m.cells()) +
                      " cells: start fewer ranks");
  const graph patches = patches_of(m);
  const std::vector<int> owner_of_patch = cut(patches, parts);
  std::vector<int> owner;
  owner.reserve(m.cells());
  for (std::size_t patch = 0; patch < owner_of_patch.size(); ++patch)
    owner.insert(owner.end(), static_cast<std::size_t>(patches.vertex_weight[patch]), owner_of_patch[patch]);
  require_parts(owner, parts);
  return owner;
}

// Parts of cells with consecutive numbers, which lie close together. Their sizes differ by one cell at most. Throws
// unavailable if there are more parts than cells.
inline std::vector<int> owners_in_order(const mesh& m, int parts) {
  const std::size_t cells = m.cells();
  const auto count = static_cast<std::size_t>(parts);
  if (count > cells)
    throw unavailable(std::to_string(parts) + " ranks for " + std::to_string(cells) +
                      " cells: start fewer ranks");
  std::vector<int> owner(cells);
  for (std::size_t k = 0; k < cells; ++k) owner[k] = static_cast<int>(k * count / cells);
  return owner;
}

// How a part numbers its own cells: with the border after the interior, or all in the order of the whole sphere.
enum class numbering { border_last, as_on_sphere };

// The cells of one rank by their numbers on the whole sphere.
struct membership {
  std::vector<int> inside, border;        // all are inside if the border is not apart
  std::vector<std::pair<int, int>> halo;  // owner and cell, in increasing order
};

inline std::vector<membership> members_of(const mesh& m, const std::vector<int>& owner, int parts,
                                          numbering order) {
  std::vector<membership> all(static_cast<std::size_t>(parts));
  for (std::size_t k = 0; k < m.cells(); ++k) {
    membership& own = all[static_cast<std::size_t>(owner[k])];
    bool is_border = false;
    for (int other : m.neighbours[k]) {
      const int rank = owner[static_cast<std::size_t>(other)];
      if (rank == owner[k]) continue;
      is_border = true;
      own.halo.emplace_back(rank, other);
    }
    (is_border && order == numbering::border_last ? own.border : own.inside).push_back(static_cast<int>(k));
  }
  for (membership& own : all) {
    std::sort(own.halo.begin(), own.halo.end());
    own.halo.erase(std::unique(own.halo.begin(), own.halo.end()), own.halo.end());
  }
  return all;
}

// Builds a part without its neighbours, whose numbers are not known yet.
inline part part_without_neighbours(const problem& p, const membership& own) {
  part mine;
  mine.interior = static_cast<int>(own.inside.size());
  mine.halo = static_cast<int>(own.halo.size());
  mine.number = own.inside;
  mine.number.insert(mine.number.end(), own.border.begin(), own.border.end());
  problem& local = mine.own;
  local.mesh.subdivisions = p.mesh.subdivisions;
  local.mesh.radius = p.mesh.radius;
  local.mesh.position.resize(mine.number.size());
  local.cell = p.cell;
  local.diffusion = p.diffusion;
  local.protocol = p.protocol;
  local.mesh.weight.reserve(mine.number.size());
  local.stimulated.reserve(mine.number.size());
  local.state0.reserve(mine.number.size());
  for (int k : mine.number) {
    const auto at = static_cast<std::size_t>(k);
    local.mesh.weight.push_back(p.mesh.weight[at]);
    local.stimulated.push_back(p.stimulated[at]);
    local.state0.push_back(p.state0[at]);
  }
  return mine;
}

// Lists the part's cells whose voltages its neighbours need, in the order of the neighbours' halos.
inline void name_borders(const std::vector<membership>& all, const std::vector<int>& place, std::size_t rank,
                         part& mine) {
  int first = mine.cells();
  for (std::size_t other = 0; other < all.size(); ++other) {
    const auto of = [](const membership& m, std::size_t owner) {
      const auto wanted = static_cast<int>(owner);
      return std::equal_range(m.halo.begin(), m.halo.end(), std::pair{wanted, 0},
                              [](const auto& a, const auto& b) { return a.first < b.first; });
    };
    const auto [comes, end] = of(all[rank], other);
    if (comes == end) continue;
    bordering b{static_cast<int>(other), {}, first, static_cast<int>(end - comes)};
    const auto [goes, last] = of(all[other], rank);
    for (auto cell = goes; cell != last; ++cell)
      b.gives.push_back(place[static_cast<std::size_t>(cell->second)]);
    first += b.count;
    mine.beside.push_back(std::move(b));
  }
}

inline void name_neighbours(const problem& p, const membership& own, const std::vector<int>& owner,
                            const std::vector<int>& place, int rank, part& mine) {
  const auto local = [&](int k) {
    const int at = owner[static_cast<std::size_t>(k)];
    if (at == rank) return place[static_cast<std::size_t>(k)];
    const auto in_halo = std::lower_bound(own.halo.begin(), own.halo.end(), std::pair{at, k});
    return mine.cells() + static_cast<int>(in_halo - own.halo.begin());
  };
  mine.own.mesh.neighbours.reserve(mine.number.size());
  for (int k : mine.number) {
    auto& near = mine.own.mesh.neighbours.emplace_back();
    std::transform(p.mesh.neighbours[static_cast<std::size_t>(k)].begin(),
                   p.mesh.neighbours[static_cast<std::size_t>(k)].end(), near.begin(), local);
  }
  for (std::size_t column = 0; column < p.recorded.size(); ++column)
    if (owner[static_cast<std::size_t>(p.recorded[column])] == rank) {
      mine.own.recorded.push_back(local(p.recorded[column]));
      mine.column.push_back(static_cast<int>(column));
    }
}

// All parts, in the order of ranks.
inline std::vector<part> parts_of(const problem& p, const std::vector<int>& owner, int parts,
                                  numbering order = numbering::border_last) {
  const std::vector<membership> all = members_of(p.mesh, owner, parts, order);
  std::vector<part> made;
  std::vector<int> place(p.cells());
  for (const membership& own : all) {
    made.push_back(part_without_neighbours(p, own));
    for (int n = 0; n < made.back().cells(); ++n)
      place[static_cast<std::size_t>(made.back().number[static_cast<std::size_t>(n)])] = n;
  }
  for (std::size_t rank = 0; rank < made.size(); ++rank) {
    name_borders(all, place, rank, made[rank]);
    name_neighbours(p, all[rank], owner, place, static_cast<int>(rank), made[rank]);
  }
  return made;
}

inline void put(ranks::message& m, const part& p) {
  const problem& own = p.own;
  m.reserve(p.number.size() * (sizeof(cell_state) + sizeof(own.mesh.neighbours[0]) +
                               sizeof(own.mesh.weight[0]) + sizeof(int) + sizeof(own.stimulated[0])));
  m.put(own.mesh.subdivisions).put(own.mesh.radius).put(own.mesh.neighbours).put(own.mesh.weight);
  m.put(own.cell).put(own.diffusion).put(own.protocol.stimuli).put(own.protocol.t_end);
  m.put(own.stimulated).put(own.state0).put(own.recorded);
  m.put(p.interior).put(p.halo).put(p.number).put(p.column).put(p.beside.size());
  for (const bordering& b : p.beside) m.put(b.rank).put(b.gives).put(b.first).put(b.count);
}

inline part part_in(ranks::message& m) {
  part p;
  problem& own = p.own;
  own.mesh.subdivisions = m.get<int>();
  own.mesh.radius = m.get<double>();
  own.mesh.neighbours = m.get_all<std::array<int, slots>>();
  own.mesh.weight = m.get_all<std::array<double, slots>>();
  own.cell = m.get<cell_parameters>();
  own.diffusion = m.get<double>();
  own.protocol.stimuli = m.get_all<stimulus>();
  own.protocol.t_end = m.get<double>();
  own.stimulated = m.get_all<std::uint8_t>();
  own.state0 = m.get_all<cell_state>();
  own.recorded = m.get_all<int>();
  p.interior = m.get<int>();
  p.halo = m.get<int>();
  p.number = m.get_all<int>();
  p.column = m.get_all<int>();
  p.beside.resize(m.get<std::size_t>());
  for (bordering& b : p.beside) {
    b.rank = m.get<int>();
    b.gives = m.get_all<int>();
    b.first = m.get<int>();
    b.count = m.get<int>();
  }
  own.mesh.position.resize(p.number.size());
  return p;
}

}  // namespace reprise::atrium
