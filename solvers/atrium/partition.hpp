// SPDX-License-Identifier: MIT
// The sphere in parts, one for each rank. A part has its own cells, numbered with the interior first, whose
// neighbours are all its own, then the border; and a halo, the cells of other parts next to its border, of
// which it knows the voltages. Place: beyond the paper, which has one GPU.
//
//   part 0   [ interior | border ][ halo: of part 1, of part 3 ... ]
//   numbers    0 ...              cells() ...
//
// Halos are numbered by owner and within an owner as on the whole sphere, and what a part gives a neighbour
// is in that order too: it arrives where it is wanted.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "solvers/atrium/problem.hpp"
#include "solvers/common/error.hpp"
#include "solvers/common/graph_cut.hpp"
#include "solvers/common/message.hpp"

namespace reprise::atrium {

// Another part that shares a border with one.
struct bordering {
  int rank{};
  std::vector<int> gives;  // own cells whose voltages it gets
  int first{};             // in the halo, of those that come from it
  int count{};
};

struct part {
  problem own;  // without positions; neighbours in its numbers, recorded cells too
  int interior{};
  int halo{};
  std::vector<int> number;  // of each own cell, on the whole sphere
  std::vector<int> column;  // of each recorded cell, among all recorded
  std::vector<bordering> beside;

  int cells() const { return static_cast<int>(number.size()); }
};

// Above some hundred thousand cells METIS gets patches of cells whose numbers follow each other, which lie
// close together, and takes a second instead of a minute for ten million cells.
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

// Throws unavailable where a part would be empty.
inline void require_parts(const std::vector<int>& owner, int parts) {
  std::vector<char> has_cells(static_cast<std::size_t>(parts), 0);
  for (int rank : owner) has_cells[static_cast<std::size_t>(rank)] = 1;
  const auto empty = std::find(has_cells.begin(), has_cells.end(), 0) - has_cells.begin();
  if (empty < parts)
    throw unavailable("rank " + std::to_string(empty) + " of " + std::to_string(parts) +
                      " would have none of the " + std::to_string(owner.size()) +
                      " cells: start fewer ranks");
}

// The part of each cell. Throws unavailable for more parts than cells, and where METIS leaves one empty.
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

// Cells by their numbers on the whole sphere, for one rank.
struct membership {
  std::vector<int> inside, border;
  std::vector<std::pair<int, int>> halo;  // owner and cell, rising
};

inline std::vector<membership> members_of(const mesh& m, const std::vector<int>& owner, int parts) {
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
    (is_border ? own.border : own.inside).push_back(static_cast<int>(k));
  }
  for (membership& own : all) {
    std::sort(own.halo.begin(), own.halo.end());
    own.halo.erase(std::unique(own.halo.begin(), own.halo.end()), own.halo.end());
  }
  return all;
}

// Without the mesh's halo, which has other numbers on each rank.
inline part part_without_neighbours(const problem& p, const membership& own) {
  part mine;
  mine.interior = static_cast<int>(own.inside.size());
  mine.halo = static_cast<int>(own.halo.size());
  mine.number = own.inside;
  mine.number.insert(mine.number.end(), own.border.begin(), own.border.end());
  problem& local = mine.own;
  local.where.subdivisions = p.where.subdivisions;
  local.where.radius = p.where.radius;
  local.where.position.resize(mine.number.size());
  local.cell = p.cell;
  local.diffusion = p.diffusion;
  local.what = p.what;
  local.where.weight.reserve(mine.number.size());
  local.stimulated.reserve(mine.number.size());
  local.state0.reserve(mine.number.size());
  for (int k : mine.number) {
    const auto at = static_cast<std::size_t>(k);
    local.where.weight.push_back(p.where.weight[at]);
    local.stimulated.push_back(p.stimulated[at]);
    local.state0.push_back(p.state0[at]);
  }
  return mine;
}

// A part's cells whose voltages its neighbours want: in the order of their halos.
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
  mine.own.where.neighbours.reserve(mine.number.size());
  for (int k : mine.number) {
    auto& near = mine.own.where.neighbours.emplace_back();
    std::transform(p.where.neighbours[static_cast<std::size_t>(k)].begin(),
                   p.where.neighbours[static_cast<std::size_t>(k)].end(), near.begin(), local);
  }
  for (std::size_t column = 0; column < p.recorded.size(); ++column)
    if (owner[static_cast<std::size_t>(p.recorded[column])] == rank) {
      mine.own.recorded.push_back(local(p.recorded[column]));
      mine.column.push_back(static_cast<int>(column));
    }
}

// All parts, by rank.
inline std::vector<part> parts_of(const problem& p, const std::vector<int>& owner, int parts) {
  const std::vector<membership> all = members_of(p.where, owner, parts);
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
  m.reserve(p.number.size() * (sizeof(cell_state) + sizeof(own.where.neighbours[0]) +
                               sizeof(own.where.weight[0]) + sizeof(int) + sizeof(own.stimulated[0])));
  m.put(own.where.subdivisions).put(own.where.radius).put(own.where.neighbours).put(own.where.weight);
  m.put(own.cell).put(own.diffusion).put(own.what.stimuli).put(own.what.t_end);
  m.put(own.stimulated).put(own.state0).put(own.recorded);
  m.put(p.interior).put(p.halo).put(p.number).put(p.column).put(p.beside.size());
  for (const bordering& b : p.beside) m.put(b.rank).put(b.gives).put(b.first).put(b.count);
}

inline part part_in(ranks::message& m) {
  part p;
  problem& own = p.own;
  own.where.subdivisions = m.get<int>();
  own.where.radius = m.get<double>();
  own.where.neighbours = m.get_all<std::array<int, slots>>();
  own.where.weight = m.get_all<std::array<double, slots>>();
  own.cell = m.get<cell_parameters>();
  own.diffusion = m.get<double>();
  own.what.stimuli = m.get_all<stimulus>();
  own.what.t_end = m.get<double>();
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
  own.where.position.resize(p.number.size());
  return p;
}

}  // namespace reprise::atrium
