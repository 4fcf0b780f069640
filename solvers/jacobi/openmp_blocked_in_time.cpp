// SPDX-License-Identifier: MIT
// Eight sweeps in one pass over the matrix, on all cores with SIMD.
// Place: beyond the paper, for grids that do not fit into the caches.
// Formula: x' = (1-w) x + g - sum over k != 4 of c_k x_k with c_k = w d_k / d_4 and g = w f / d_4. This is the
// paper's sweep with the division and the weight applied once beforehand, nine words per node.
//
// Nodes lie in tiles of 16, whose nine words are side by side. Each thread owns a range of tiles. It moves a block
// of them after the other through all eight levels: level s makes sweep s, and works `reach` tiles behind level
// s-1, whose nodes on both sides it needs. The coefficients between the first and the last level stay in the core's
// cache. Main memory is read once for all eight sweeps.
//
// Levels between the first and the last write two arrays of the thread in turn. A level overwrites what the level
// before the last one wrote, which by then no level needs. Each level needs `reach` more tiles on both sides than
// the next one. A thread therefore sweeps margins too, which belong to its neighbours, and writes only its own tiles.
#include <omp.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "solvers/common/base/aligned.hpp"
#include "solvers/common/base/simd.hpp"
#include "solvers/jacobi/variant.hpp"

namespace reprise::jacobi {
namespace {

constexpr std::ptrdiff_t lanes = 16;
constexpr std::ptrdiff_t words = 9;  // of a node: g stands in place of c_4
constexpr std::ptrdiff_t tile_words = words * lanes;
constexpr int most_levels = 8;
using vector = float __attribute__((vector_size(lanes * sizeof(float))));

struct range {
  std::ptrdiff_t begin, end;  // tiles

  range within(const range& limits) const {
    return {std::clamp(begin, limits.begin, limits.end), std::clamp(end, limits.begin, limits.end)};
  }
};

// x and next point at node 0.
REPRISE_SIMD_CLONES void sweep_tiles(const float* tiles, const float* x, float* next, std::ptrdiff_t nx,
                                     float keep, std::ptrdiff_t begin, std::ptrdiff_t end) {
  for (std::ptrdiff_t tile = begin; tile < end; ++tile) {
    const float* const t = tiles + tile * tile_words;
    const float* const here = x + tile * lanes;
    vector sum, c, neighbour;
    std::memcpy(&sum, t + 4 * lanes, sizeof sum);
    std::memcpy(&neighbour, here, sizeof neighbour);
    sum += keep * neighbour;
    for (std::ptrdiff_t k = 0; k < words; ++k) {
      if (k == 4) continue;
      std::memcpy(&c, t + k * lanes, sizeof c);
      std::memcpy(&neighbour, here + (k / 3 - 1) * nx + (k % 3 - 1), sizeof neighbour);
      sum -= c * neighbour;
    }
    std::memcpy(next + tile * lanes, &sum, sizeof sum);
  }
}

class openmp_blocked_in_time final : public solver {
 public:
  explicit openmp_blocked_in_time(const device&) {}

  void load(const problem& p) override {
    n_ = p.nodes();
    nx_ = p.nx;
    keep_ = 1.0F - p.omega;
    tiles_ = (n_ + lanes - 1) / lanes;
    reach_ = (nx_ + 1 + lanes - 1) / lanes;
    x0_ = p.x0;
    coefficients_ = aligned_array<float>(static_cast<std::size_t>(tiles_ * tile_words), 0.0F);
    for (auto* buffer : {&x_, &next_}) *buffer = zeros(tiles_);
    own_.clear();
    const int threads = omp_get_max_threads();
    for (int thread = 0; thread < threads; ++thread) own_.push_back(share_of(thread, threads));
    pack(p);
    reset();
  }

  void reset() override { std::copy(x0_.begin(), x0_.end(), x_.data() + padding()); }

  void sweep(int count) override {
    for (; count > 0; count -= most_levels) {
      const int levels = std::min(count, most_levels);
#pragma omp parallel for schedule(static, 1)
      for (std::size_t thread = 0; thread < own_.size(); ++thread) pass(own_[thread], levels);
      std::swap(x_, next_);
    }
  }

  std::vector<float> solution() override {
    const float* const first = x_.data() + padding();
    return {first, first + n_};
  }

  int sweeps_at_once() const override {
    return most_levels;
  }
  stopwatch& clock() override {
    return clock_;
  }

 private:
  // A thread's tiles, and what it keeps of the sweeps between. Both arrays begin at the tile `kept.begin`.
  struct share {
    range own{}, kept{};
    aligned_array<float> between[2];
  };

  std::ptrdiff_t padding() const {
    return reach_ * lanes;
  }

  // An iterate of so many tiles, between zeros that the outermost nodes read.
  aligned_array<float> zeros(std::ptrdiff_t tiles) const {
    return {static_cast<std::size_t>(tiles * lanes + 2 * padding()), 0.0F};
  }

  share share_of(int thread, int threads) const {
    share s;
    s.own = {tiles_ * thread / threads, tiles_ * (thread + 1) / threads};
    s.kept = widened(s.own, most_levels - 1);
    for (auto& array : s.between) array = zeros(s.kept.end - s.kept.begin);
    return s;
  }

  range widened(const range& r, int levels) const {
    return range{r.begin - levels * reach_, r.end + levels * reach_}.within({0, tiles_});
  }

  // Makes as many sweeps as there are levels, from x_ to next_.
  void pass(share& s, int levels) {
    constexpr std::ptrdiff_t block = 32;
    const float* from[most_levels];
    float* to[most_levels];
    range tiles[most_levels];
    for (int level = 0; level < levels; ++level) {
      const auto array = [&](int index) {
        return s.between[index % 2].data() + padding() - s.kept.begin * lanes;
      };
      from[level] = level == 0 ? x_.data() + padding() : array(level - 1);
      to[level] = level == levels - 1 ? next_.data() + padding() : array(level);
      tiles[level] = widened(s.own, levels - 1 - level);
    }
    const std::ptrdiff_t last = tiles_ + (levels - 1) * reach_;
    for (std::ptrdiff_t front = tiles[0].begin; front < last; front += block)
      for (int level = 0; level < levels; ++level) {
        const std::ptrdiff_t begin = front - level * reach_;
        const range part = range{begin, begin + block}.within(tiles[level]);
        sweep_tiles(coefficients_.data(), from[level], to[level], nx_, keep_, part.begin, part.end);
      }
  }

  // By the threads that will read the words. Nodes of the padding have zeros, so their x stays zero.
  void pack(const problem& p) {
#pragma omp parallel for schedule(static, 1)
    for (std::size_t thread = 0; thread < own_.size(); ++thread)
      for (std::ptrdiff_t i = own_[thread].own.begin * lanes; i < std::min(n_, own_[thread].own.end * lanes);
           ++i)
        pack_node(p, i);
  }
  void pack_node(const problem& p, std::ptrdiff_t node) {
    const auto i = static_cast<std::size_t>(node);
    float* const word = coefficients_.data() + node / lanes * tile_words + node % lanes;
    const double scale = static_cast<double>(p.omega) / static_cast<double>(p.diagonals[4][i]);
    for (std::ptrdiff_t k = 0; k < words; ++k)
      word[k * lanes] = static_cast<float>(
          scale * static_cast<double>(k == 4 ? p.f[i] : p.diagonals[static_cast<std::size_t>(k)][i]));
  }

  std::ptrdiff_t n_{};
  std::ptrdiff_t tiles_{};
  std::ptrdiff_t reach_{};  // tiles
  std::ptrdiff_t nx_{};
  float keep_{};
  aligned_array<float> coefficients_, x_, next_;
  std::vector<share> own_;
  std::vector<float> x0_;
  steady_stopwatch clock_;
};

// Per node and sweep. The matrix, g and x cross the memory bus once per pass.
REPRISE_VARIANT(
    solver, openmp_blocked_in_time,
    {.summary = "all cores with SIMD, eight sweeps in one pass over the matrix",
     .place = "beyond the paper",
     .precisions = {precision::single},
     .per_unit = {.bytes_logical = 80, .bytes_dram = 44. / most_levels, .bytes_dram_once = 0, .flops = 18}});

}  // namespace
}  // namespace reprise::jacobi
