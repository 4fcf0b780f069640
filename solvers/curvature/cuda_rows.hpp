// SPDX-License-Identifier: MIT
// All rows of a grid, or a rank's part of them, on one device: the fields of an attempt, the two decisions,
// and the launches of the stages.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "solvers/common/cuda/cuda.hpp"
#include "solvers/curvature/border.hpp"
#include "solvers/curvature/cuda_attempt.hpp"
#include "solvers/curvature/cuda_strips.hpp"
#include "solvers/curvature/cuda_tiles.hpp"
#include "solvers/curvature/variant.hpp"

namespace reprise::curvature {
inline namespace REPRISE_CUDA_FLAVOUR {

template <judge>
__global__ void begin_interval(decision* d, double t_end) {
  start_interval(d->state, t_end);
  d->at[0] = phase_at(d->state.t);
}

template <judge>
__global__ void settle_attempt(decision* d) {
  settle(*d);
}

// Words of shared memory in a stage, per node of a tile: what is formed is written, nodes read what is around them.
inline double tile_words(flow f) {
  constexpr double around = 9;
  const int ring = reach_of(f);
  const double rows =
      f == flow::willmore ? rows_of_thread<flow::willmore> : rows_of_thread<flow::mean_curvature>;
  const double nodes = tile_columns * tile_rows * rows;
  const double formed = (tile_columns + 2. * ring) * (tile_rows * rows + 2 * ring);
  const double of_w = (tile_columns + 2.) * (tile_rows + 2);
  // Nodes of a thread that lie above each other share what they read.
  if (f == flow::mean_curvature) return (formed + nodes * 3 * (rows + 2) / rows) / nodes;
  return (formed + of_w * (around + 1) + nodes * 2 * around) / nodes;
}

// The same of an attempt in strips: each stage's parts of a row are written and read once, those of the last stage read
// twice.
inline double strip_words(int rows) {
  double parts = ingredients_of<4>;
  for (const int of_stage :
       {ingredients_of<0>, ingredients_of<1>, ingredients_of<2>, ingredients_of<3>, ingredients_of<4>})
    parts += 2 * of_stage;
  return parts * warp * lane_columns / strip_columns * (rows + 2) / rows;
}

// Words per node and attempt that cross the memory bus. The stages read u and 0, 1, 2, 2, 3 earlier stages.
// Each writes one word, k or the new surface. Tiles have no rows of a strip.
inline work counted(flow f, boundary s, double word_bytes, int rows_of_strip = 0) {
  const double reads = 5 + 8;
  return {.bytes_logical = (5 * 9 + reads + 5) * word_bytes,
          .bytes_dram = (reads + 5) * word_bytes,
          .bytes_dram_once = 0,
          .flops = step_flops(f, s),
          .bytes_shared = word_bytes * (rows_of_strip == 0 ? 5 * tile_words(f) : strip_words(rows_of_strip))};
}

inline unsigned parts_of(long long whole, int part) {
  return static_cast<unsigned>((whole + part - 1) / part);
}

inline unsigned columns_of_strips(const grid& g) {
  return parts_of(g.cells_x - 1, strip_columns);
}

// Blocks that traverse rows in strips of this height.
inline unsigned strip_blocks(const grid& g, int rows, int height) {
  return parts_of(columns_of_strips(g) * parts_of(rows, height), warps_of_block);
}

// Height of the strips. High strips share more work between their rows; low ones fill the last wave of blocks better.
// Takes the height whose waves pass the fewest rows, those that a strip reads beside its own included.
inline int best_strip_rows(const grid& g, int rows) {
  constexpr int most_rows = 64;
  constexpr int rows_beside = 3;
  const int resident = blocks_resident * cuda::current_properties().multiprocessors;
  int best = 1;
  long long least = std::numeric_limits<long long>::max();
  for (int height = 1; height <= most_rows; ++height) {
    const long long waves = parts_of(strip_blocks(g, rows, height), resident);
    const long long passed = waves * (height + rows_beside);
    if (passed > least) continue;
    best = height;
    least = passed;
  }
  return best;
}

template <class Real, judge by>
class staged_rows {
 public:
  // Cuts the grid into strips of `rows_of_strip` rows, or into tiles if that is 0.
  staged_rows(const grid& g, row_range held, int rows_of_strip)
      : grid_(g), held_(held), rows_of_strip_(rows_of_strip), decided_(2) {
    const profiles<Real> zeta(g);
    zeta_x_ = cuda::uploaded(zeta.x);
    zeta_y_ = cuda::uploaded(zeta.y);
    constexpr int line = 128 / sizeof(Real);
    const int pitch = (g.nodes_x() + line - 1) / line * line;
    if (held.last - held.first > std::numeric_limits<int>::max() / pitch)
      throw unavailable("does not fit: " + std::to_string(held.last - held.first) + " rows of " +
                        std::to_string(pitch) + " values with padding are more than kernels can count");
    for (auto* buffer : {&u_[0], &u_[1], &k1_[0], &k1_[1], &k2_, &k3_, &k4_}) {
      *buffer = cuda::buffer<Real>(static_cast<std::size_t>(pitch) * height());
      buffer->fill_bytes(0);  // the border of a stage is never computed
    }
    constexpr std::size_t fields_of_stage = 5;  // at most: the last one reads four and writes one
    if (fields_of_stage * sizeof(Real) * u_[0].size() > cuda::current_properties().l2_bytes)
      order_ = strip_order::along_rows;
    fields_ = {g.nodes_x(),
               g.nodes_y(),
               pitch,
               held.first,
               {static_cast<Real>(1 / g.h_x()), static_cast<Real>(1 / g.h_y())},
               {u_[0].data(), u_[1].data()},
               {k1_[0].data(), k1_[1].data()},
               k2_.data(),
               k3_.data(),
               k4_.data(),
               zeta_x_.data(),
               zeta_y_.data(),
               decided_.data()};
  }

  const fields<Real>& view() const { return fields_; }
  decision* decided(int parity) { return decided_.data() + parity; }

  // Starts at t = 0 with the given surface on the rows held here. The first decision has parity 0.
  void start(const std::vector<double>& surface, const control& c) {
    std::vector<Real> padded(u_[0].size(), Real(0));
    for (std::size_t row = 0; row < height(); ++row)
      std::transform(surface.begin() + offset(row, columns()), surface.begin() + offset(row + 1, columns()),
                     padded.begin() + offset(row, pitch()), [](double u) { return static_cast<Real>(u); });
    for (auto& u : u_) u.upload(padded.data(), padded.size());  // both, for the border
    const decision first{.state = at_start(c), .at = {}, .current = 0, .is_open = false, .largest_error = 0};
    decided_.upload(&first, 1);
  }

  // begin() and settled() run on the default stream, for which all other streams wait.
  void begin(double t_end, int parity) {
    cuda::launch(begin_interval<by>, 1, 1, 0, nullptr, decided(parity), t_end);
  }
  decision settled(int parity) {
    cuda::launch(settle_attempt<by>, 1, 1, 0, nullptr, decided(parity));
    decision now{};
    decided_.download(&now, 1, static_cast<std::size_t>(parity));
    return now;
  }

  // Queues stage 0 ... 4 on one range of rows, or on two at once. Stages above 0 use this attempt's decision.
  void queue(int stage, int parity, std::span<const row_range> ranges, cudaStream_t on = nullptr) {
    const launched_rows rows{ranges.front(), ranges.back()};
    const auto count = static_cast<unsigned>(ranges.size());
    switch (grid_.boundary) {
      case boundary::manufactured:
        return queue_stage<boundary::manufactured>(stage, parity, rows, count, on);
      case boundary::dirichlet:
        return queue_stage<boundary::dirichlet>(stage, parity, rows, count, on);
      case boundary::neumann:
        return queue_stage<boundary::neumann>(stage, parity, rows, count, on);
    }
  }

  // Rows of one of the two surfaces; the boundary condition is not imposed on them.
  std::vector<double> surface(int which, row_range rows) const {
    const auto first = static_cast<std::size_t>(rows.first - held_.first);
    const auto count = static_cast<std::size_t>(rows.last - rows.first);
    std::vector<Real> padded(count * pitch());
    u_[which].download(padded.data(), padded.size(), first * pitch());
    std::vector<double> values(count * columns());
    for (std::size_t row = 0; row < count; ++row)
      std::copy_n(padded.begin() + offset(row, pitch()), columns(), values.begin() + offset(row, columns()));
    return values;
  }

 private:
  std::size_t height() const { return static_cast<std::size_t>(held_.last - held_.first); }
  std::size_t columns() const { return static_cast<std::size_t>(grid_.nodes_x()); }
  std::size_t pitch() const { return static_cast<std::size_t>(fields_.pitch); }
  static std::ptrdiff_t offset(std::size_t row, std::size_t length) {
    return static_cast<std::ptrdiff_t>(row * length);
  }

  template <boundary at_border>
  void queue_stage(int stage, int parity, launched_rows rows, unsigned ranges, cudaStream_t on) {
    switch (stage) {
      case 0:
        return launch<at_border, 0>(parity, rows, ranges, on);
      case 1:
        return launch<at_border, 1>(parity, rows, ranges, on);
      case 2:
        return launch<at_border, 2>(parity, rows, ranges, on);
      case 3:
        return launch<at_border, 3>(parity, rows, ranges, on);
      default:
        return launch<at_border, 4>(parity, rows, ranges, on);
    }
  }

  template <boundary at_border, int stage>
  void launch(int parity, launched_rows rows, unsigned ranges, cudaStream_t on) {
    const int rows_high = std::max(rows.lower.last - rows.lower.first, rows.upper.last - rows.upper.first);
    constexpr unsigned deciding = by == judge::first_stage && stage == 0 ? 1 : 0;
    if (rows_of_strip_ == 0) {
      const bool is_willmore = grid_.flow == flow::willmore;
      const int tile_height =
          tile_rows * (is_willmore ? rows_of_thread<flow::willmore> : rows_of_thread<flow::mean_curvature>);
      cuda::start(cuda::scheduling::overlapped,
                  is_willmore ? evaluate_tiles<Real, flow::willmore, at_border, stage, by>
                              : evaluate_tiles<Real, flow::mean_curvature, at_border, stage, by>,
                  dim3(parts_of(grid_.cells_x - 1, tile_columns), parts_of(rows_high, tile_height) + deciding,
                       ranges),
                  dim3(tile_columns, tile_rows), 0, on, fields_, parity, rows);
    } else {
      constexpr std::size_t shared_bytes =
          sizeof(columns_of<Real>) * warps_of_block * rows_held * warp * ingredients_of<stage>;
      const bool is_up = order_ == strip_order::up_columns;
      const strip_cut cut(rows_of_strip_, order_,
                          is_up ? parts_of(rows_high, rows_of_strip_) : columns_of_strips(grid_));
      cuda::start(cuda::scheduling::overlapped, evaluate_strips<Real, at_border, stage, by>,
                  dim3(strip_blocks(grid_, rows_high, rows_of_strip_) + deciding, 1, ranges),
                  dim3(warp, warps_of_block), shared_bytes, on, fields_, parity, rows, cut);
    }
  }

  grid grid_;
  row_range held_;
  int rows_of_strip_;
  strip_order order_{strip_order::up_columns};
  fields<Real> fields_{};
  cuda::buffer<Real> u_[2], k1_[2], k2_, k3_, k4_;
  cuda::buffer<profile<Real>> zeta_x_, zeta_y_;
  cuda::buffer<decision> decided_;
};

}  // namespace REPRISE_CUDA_FLAVOUR
}  // namespace reprise::curvature
