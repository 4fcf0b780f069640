// SPDX-License-Identifier: MIT
// All cores with SIMD. A thread takes its cells through several stages, row after row, while they are in the cache.
// Place: beyond the paper, which has no such code.
// Formula: as in cpu_serial.cpp. The exponentials of the local terms are computed in the lanes of vectors of 4 or 8, with
// an error of a unit in the last place. For narrower ones they are the C library's, to at most 4 units.
// A pass makes up to four stages: one step of Runge-Kutta, two of Heun or four of Euler. Each stage follows the one
// before it at a distance of one row, so that only four rows of a stage must be kept. The margins of neighbouring
// tiles are computed twice.
#include <omp.h>

#include <algorithm>
#include <array>
#include <vector>

#include "solvers/common/base/aligned.hpp"
#include "solvers/tissue/host_rows.hpp"
#include "solvers/tissue/stages.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

// Size of a tile without its margin. The rows that it keeps take some 100 KB for two fields.
constexpr int tile_width = 256;
constexpr int tile_height = 128;
constexpr int least_height = 16;
// Columns before column 0 of a row, so that it begins at a cache line, and after the last one. Whole vectors of the
// margin, and their neighbours, may lie there.
constexpr int columns_before = 2 * widest;
constexpr int columns_after = 2 * widest;

constexpr int rounded_up(int count, int to) {
  return (count + to - 1) / to * to;
}

// Columns of a row in memory: an odd number of cache lines, so that rows do not compete for the same place in a cache.
constexpr int pitch_of(int columns) {
  return rounded_up(columns_before + columns + columns_after, widest) | widest;
}

// The state is read and written once per pass.
work counted(model what, method how) {
  const double word = fields_of(what) * sizeof(double);
  return {.bytes_logical = (stages_of(how) * 4.0 + 2) * word + stages_of(how) * 8 * sizeof(double),
          .bytes_dram = 2 * word / steps_of_margin(how),
          .bytes_dram_once = 0,
          .flops = step_flops(what, how)};
}

// The state with the ghost cells that a pass reads.
class padded_state {
 public:
  void make_room(const problem& p) {
    ny_ = p.ny;
    columns_ = ghosts_of(p.border, p.nx);
    rows_ = ghosts_of(p.border, p.ny);
    pitch_ = pitch_of(p.nx + margin);
    fields_ = fields_of(p.model);
    values_ = {static_cast<std::size_t>(fields_) * static_cast<std::size_t>(ny_ + 2 * margin) *
                   static_cast<std::size_t>(pitch_),
               0.0};
  }
  std::ptrdiff_t pitch() const { return pitch_; }
  // Column 0 of row j, where -margin <= j < ny + margin.
  double* at(int field, int j) { return values_.data() + place(field, j); }
  const double* at(int field, int j) const { return values_.data() + place(field, j); }

  // Copies cells of columns x0 ... x1 - 1 and rows y0 ... y1 - 1 to the ghost cells that have their values.
  void copy_to_ghosts(int x0, int x1, int y0, int y1) {
    for (int f = 0; f < fields_; ++f) {
      for (int j = y0; j < y1; ++j) copy_to_ghost_columns(f, j, x0, x1);
      for (const ghost g : rows_)
        if (g.from >= y0 && g.from < y1) {
          std::copy(at(f, g.from) + x0, at(f, g.from) + x1, at(f, g.at) + x0);
          copy_to_ghost_columns(f, g.at, x0, x1);
        }
    }
  }

 private:
  std::ptrdiff_t place(int field, int j) const {
    return (static_cast<std::ptrdiff_t>(field) * (ny_ + 2 * margin) + j + margin) * pitch_ + columns_before;
  }

  void copy_to_ghost_columns(int field, int j, int x0, int x1) {
    double* const row = at(field, j);
    for (const ghost g : columns_)
      if (g.from >= x0 && g.from < x1) row[g.at] = row[g.from];
  }

  // A ghost index along an axis, and the index of the cell whose value it has.
  struct ghost {
    int at, from;
  };
  using ghosts = std::array<ghost, 2 * margin>;

  static ghosts ghosts_of(edge border, int n) {
    ghosts all;
    for (int k = 0; k < margin; ++k) {
      all[static_cast<std::size_t>(k)] = {-1 - k, folded(border, -1 - k, n)};
      all[static_cast<std::size_t>(margin + k)] = {n + k, folded(border, n + k, n)};
    }
    return all;
  }

  int ny_{}, pitch_{}, fields_{};
  ghosts columns_{}, rows_{};
  aligned_array<double> values_;
};

// The last rows of a thread's stages: their results, and the sums over the stages of a step.
class recent_rows {
 public:
  static constexpr int pitch = pitch_of(tile_width);

  explicit recent_rows(int fields)
      : fields_(fields), values_(static_cast<std::size_t>((1 + margin) * fields * kept * pitch), 0.0) {}
  // Column 0 of row j of a stage's results, and of its sums.
  double* result(int stage, int field, int j) { return at(1 + stage, field, j); }
  double* sum(int field, int j) { return at(0, field, j); }

 private:
  static constexpr int kept = 4;

  double* at(int copy, int field, int j) {
    const int place = (copy * fields_ + field) * kept + (j & (kept - 1));
    return values_.data() + static_cast<std::ptrdiff_t>(place) * pitch + columns_before;
  }

  int fields_;
  aligned_array<double> values_;
};

// The cells of a tile, without its margin.
struct cells {
  int x0, x1, y0, y1;
};

class openmp final : public solver {
 public:
  explicit openmp(const device&) {}

  void load(const problem& p, method m, double dt, precision arithmetic) override {
    require_double(arithmetic);
    require_method(p, m, dt);
    problem_ = p;
    method_ = m;
    schedule_ = schedule_of(m, dt);
    terms_ = terms_of(p);
    coefficient_ = {coefficient_of(p, 0), coefficient_of(p, 1)};
    row_ = row_function_of(p, m);
    for (padded_state& s : states_) s.make_room(p);
    reset();
  }

  void reset() override {
    now_ = 0;
    for (int f = 0; f < fields(); ++f)
      for (int j = 0; j < problem_.ny; ++j)
        std::copy_n(problem_.state0[static_cast<std::size_t>(f)].data() + place(j), problem_.nx,
                    now().at(f, j));
    now().copy_to_ghosts(0, problem_.nx, 0, problem_.ny);
  }

  void step(long count) override {
    const int threads = omp_get_max_threads();
    const int across = (problem_.nx + tile_width - 1) / tile_width;
    const int down = tiles_down(threads);
    const int tiles = across * down;
    const long most = steps_of_margin(method_);
    const long passes = (count + most - 1) / most;
    // Threads without a tile would only delay the others at the barriers.
#pragma omp parallel num_threads(std::min(tiles, threads))
    {
      recent_rows mine(fields());
      for (long n = 0; n < passes; ++n) {
        const auto steps = static_cast<int>(std::min(most, count - n * most));
        const padded_state& from = states_[static_cast<std::size_t>((now_ + n) % 2)];
        padded_state& to = states_[static_cast<std::size_t>((now_ + n + 1) % 2)];
#pragma omp for schedule(static)
        for (int t = 0; t < tiles; ++t) {
          const cells own = tile(t % across, t / across, down);
          advance(own, steps * schedule_.stages, from, to, mine);
          to.copy_to_ghosts(own.x0, own.x1, own.y0, own.y1);
        }
      }
    }
    now_ = (now_ + passes) % 2;
  }

  std::vector<std::vector<double>> state() override {
    std::vector<std::vector<double>> all(static_cast<std::size_t>(fields()));
    for (int f = 0; f < fields(); ++f)
      for (int j = 0; j < problem_.ny; ++j) {
        const double* const row = now().at(f, j);
        all[static_cast<std::size_t>(f)].insert(all[static_cast<std::size_t>(f)].end(), row,
                                                row + problem_.nx);
      }
    return all;
  }
  stopwatch& clock() override {
    return clock_;
  }
  work per_unit() const override {
    return counted(problem_.model, method_);
  }

 private:
  int fields() const {
    return fields_of(problem_.model);
  }
  padded_state& now() {
    return states_[static_cast<std::size_t>(now_)];
  }
  std::ptrdiff_t place(int j) const {
    return static_cast<std::ptrdiff_t>(problem_.nx) * j;
  }

  // As many for each thread, where the rows suffice.
  int tiles_down(int threads) const {
    const int enough = rounded_up((problem_.ny + tile_height - 1) / tile_height, threads);
    return std::clamp(problem_.ny / least_height, 1, enough);
  }

  cells tile(int i, int j, int down) const {
    const auto first_row = [&](int n) { return static_cast<int>(static_cast<long>(problem_.ny) * n / down); };
    return {i * tile_width, std::min((i + 1) * tile_width, problem_.nx), first_row(j), first_row(j + 1)};
  }

  // Takes a tile through the stages of a pass.
  void advance(const cells& own, int stages, const padded_state& from, padded_state& to,
               recent_rows& mine) const {
    for (int j = own.y0 - (stages - 1); j < own.y1 + stages - 1; ++j)
      for (int s = 0; s < stages; ++s) {
        const int beyond = stages - 1 - s;
        const int y = j - s;
        if (y < own.y0 - beyond || y >= own.y1 + beyond) continue;
        const int part = s % schedule_.stages;
        row r;
        r.begin = -beyond;
        r.count = own.x1 - own.x0 + 2 * beyond;
        for (std::size_t f = 0; f < 2; ++f) r.coefficient[f] = coefficient_[f];
        r.weight = schedule_.of[part].weight;
        r.h = schedule_.of[part].h;
        point_at(r, own.x0, y, s, s - part, from, mine);
        const bool ends_pass = s == stages - 1;
        // The rest of a row's last vector would fall on ghost cells, which another tile may have set already.
        const bool is_whole = r.count % widest == 0;
        if (ends_pass && is_whole)
          for (int f = 0; f < fields(); ++f) r.result[f] = to.at(f, y) + own.x0;
        row_(r, terms_, part == 0, part == schedule_.stages - 1);
        if (ends_pass && !is_whole)
          for (int f = 0; f < fields(); ++f) std::copy_n(r.result[f], r.count, to.at(f, y) + own.x0);
      }
  }

  // Sets the pointers of row y in stage s, whose step began with another stage.
  void point_at(row& r, int x0, int y, int s, int first_of_step, const padded_state& from,
                recent_rows& mine) const {
    const auto before = [&](int stage, int f, int j) -> const double* {
      return stage == 0 ? from.at(f, j) + x0 : mine.result(stage - 1, f, j);
    };
    for (int f = 0; f < fields(); ++f) {
      for (int dy = -1; dy <= 1; ++dy) r.argument[1 + dy][f] = before(s, f, y + dy);
      r.z[f] = before(first_of_step, f, y);
      r.sum[f] = mine.sum(f, y);
      r.result[f] = mine.result(s, f, y);
    }
  }

  problem problem_;
  method method_{};
  schedule schedule_{};
  chosen_terms terms_{};
  std::array<double, 2> coefficient_{};
  row_function row_{};
  std::array<padded_state, 2> states_;
  long now_{};  // which of them
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, openmp,
                {.summary = "all cores with SIMD, stages that follow each other by rows in the cache",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = counted(model::karma, method::runge_kutta)});

}  // namespace
}  // namespace reprise::tissue
