// SPDX-License-Identifier: MIT
// Cuts a sphere into patches with margins of several rings, one for each work-group. A patch consists of cells with
// consecutive numbers, which lie close together. Ring r of its margin consists of the cells next to ring r - 1 that are
// in none of the rings before.
#pragma once

#include <algorithm>
#include <vector>

#include "solvers/atrium/opencl_cells.hpp"
#include "solvers/atrium/problem.hpp"

namespace reprise::atrium {

// The members of a patch, its own cells and then its rings in turn.
struct patch {
  std::vector<int> cells;
  std::vector<int> within;  // number of members up to ring r; those of ring 0 are its own
  std::vector<std::array<int, slots>>
      places;  // of neighbours in the patch, of all members but those of the last ring
};

class patch_cutter {
 public:
  explicit patch_cutter(const mesh& m) : mesh_(m), place_(m.cells(), -1) {}

  patch cut(int first, int end, int rings) {
    patch made;
    for (int k = first; k < end; ++k) add(made, k);
    made.within.push_back(static_cast<int>(made.cells.size()));
    std::size_t begin = 0;
    for (int r = 0; r < rings; ++r) {
      const std::size_t so_far = made.cells.size();
      for (; begin < so_far; ++begin)
        for (const int other : neighbours_of(made.cells[begin])) add(made, other);
      made.within.push_back(static_cast<int>(made.cells.size()));
    }
    for (std::size_t k = 0; k < begin; ++k) {
      std::array<int, slots>& places = made.places.emplace_back();
      std::ranges::transform(neighbours_of(made.cells[k]), places.begin(),
                             [this](int other) { return place_[static_cast<std::size_t>(other)]; });
    }
    for (const int cell : made.cells) place_[static_cast<std::size_t>(cell)] = -1;
    return made;
  }

 private:
  const std::array<int, slots>& neighbours_of(int cell) const {
    return mesh_.neighbours[static_cast<std::size_t>(cell)];
  }
  void add(patch& to, int cell) {
    int& place = place_[static_cast<std::size_t>(cell)];
    if (place >= 0) return;
    place = static_cast<int>(to.cells.size());
    to.cells.push_back(cell);
  }

  const mesh& mesh_;
  std::vector<int> place_;  // in the patch that is being cut; -1 outside
};

// Cuts into patches of `own` cells; the last one may have fewer.
inline std::vector<patch> cut_with_rings(const mesh& m, int own, int rings) {
  std::vector<patch> all;
  patch_cutter cutter(m);
  const auto cells = static_cast<int>(m.cells());
  for (int first = 0; first < cells; first += own)
    all.push_back(cutter.cut(first, std::min(first + own, cells), rings));
  return all;
}

// The largest number of members up to a ring.
inline std::size_t most_within(const std::vector<patch>& all, int ring) {
  int most = 0;
  for (const patch& one : all) most = std::max(most, one.within[static_cast<std::size_t>(ring)]);
  return static_cast<std::size_t>(most);
}

// The largest patches whose members that are computed fit `room`, if that is possible: those of all rings but the last.
inline std::vector<patch> cut_to_fit(const mesh& m, int room, int rings) {
  constexpr int step = 16;  // whole vectors of own cells
  for (int own = std::max(room / step * step, step);; own -= step) {
    std::vector<patch> all = cut_with_rings(m, own, rings);
    if (own == step || most_within(all, rings - 1) <= static_cast<std::size_t>(room)) return all;
  }
}

// The patches on an OpenCL device. Each list of members has `capacity` places a patch; they are filled up with its first
// cell, without neighbours.
template <class Real>
class opencl_patches {
 public:
  // Does nothing if the patches are there.
  void load(opencl_context& context, const problem& p, int room, int rings) {
    if (room == room_ && rings == rings_) return;
    room_ = room;
    rings_ = rings;
    const std::vector<patch> all = cut_to_fit(p.mesh, room, rings);
    count_ = all.size();
    computed_ = most_within(all, rings - 1);
    capacity_ = (most_within(all, rings) + most_lanes - 1) / most_lanes * most_lanes;
    const std::size_t length = count_ * capacity_;
    std::vector<int> cells(length), within, neighbours(slots * length, 0);
    std::vector<Real> weight(slots * length, Real(0));
    std::vector<std::uint8_t> stimulated(length, 0);
    for (std::size_t b = 0; b < count_; ++b) {
      within.insert(within.end(), all[b].within.begin(), all[b].within.end());
      for (std::size_t n = 0; n < capacity_; ++n) {
        const std::size_t at = b * capacity_ + n;
        cells[at] = all[b].cells[n < all[b].cells.size() ? n : 0];
        if (n >= all[b].places.size()) continue;
        const auto cell = static_cast<std::size_t>(cells[at]);
        stimulated[at] = p.stimulated[cell];
        for (std::size_t slot = 0; slot < slots; ++slot) {
          neighbours[slot * length + at] = all[b].places[n][slot];
          weight[slot * length + at] = static_cast<Real>(p.diffusion * p.mesh.weight[cell][slot]);
        }
      }
    }
    cells_ = opencl_uploaded(context, cells);
    within_ = opencl_uploaded(context, within);
    neighbours_ = opencl_uploaded(context, neighbours);
    weight_ = opencl_uploaded(context, weight);
    stimulated_ = opencl_uploaded(context, stimulated);
    load_recorded(context, p.recorded, all);
  }

  std::size_t count() const { return count_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t computed() const { return computed_; }
  const opencl_buffer<int>& cells() const { return cells_; }
  const opencl_buffer<int>& within() const { return within_; }
  const opencl_buffer<int>& neighbours() const { return neighbours_; }
  const opencl_buffer<Real>& weight() const { return weight_; }
  const opencl_buffer<std::uint8_t>& stimulated() const { return stimulated_; }
  const opencl_buffer<int>& recorded_first() const { return recorded_first_; }
  const opencl_buffer<int>& recorded() const { return recorded_; }

 private:
  // Where the recorded cells of each patch begin, in pairs of a place in the patch and a column.
  void load_recorded(opencl_context& context, const std::vector<int>& recorded,
                     const std::vector<patch>& all) {
    std::vector<int> first, pairs;
    for (const patch& one : all) {
      first.push_back(static_cast<int>(pairs.size() / 2));
      for (std::size_t column = 0; column < recorded.size(); ++column) {
        const int place = recorded[column] - one.cells.front();
        if (place >= 0 && place < one.within.front())
          pairs.insert(pairs.end(), {place, static_cast<int>(column)});
      }
    }
    first.push_back(static_cast<int>(pairs.size() / 2));
    pairs.resize(std::max<std::size_t>(pairs.size(), 2));
    recorded_first_ = opencl_uploaded(context, first);
    recorded_ = opencl_uploaded(context, pairs);
  }

  int room_{}, rings_{};
  std::size_t count_{}, capacity_{}, computed_{};
  opencl_buffer<int> cells_, within_, neighbours_, recorded_first_, recorded_;
  opencl_buffer<Real> weight_;
  opencl_buffer<std::uint8_t> stimulated_;
};

}  // namespace reprise::atrium
