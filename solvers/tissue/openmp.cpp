// SPDX-License-Identifier: MIT
// All cores with SIMD, on tiles that stay in a core's cache for a whole step.
// Place: beyond the paper, which has no such code.
// Formula: as in cpu_serial.cpp. The exponentials of the local terms are the C library's vector functions if
// it has them, with an error of at most 4 units in the last place.
// A tile has a margin of as many cells as a step has stages. The margins of
// neighbouring tiles are computed twice.
#include <omp.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/simd.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/models.hpp"
#include "solvers/tissue/stages.hpp"
#include "solvers/tissue/variant.hpp"

namespace reprise::tissue {
namespace {

constexpr int most_fields = 4;
// Size of a tile without its margin. With the margin and in four copies a Karma tile takes 350 KB.
constexpr int tile_width = 128;
constexpr int tile_height = 32;

// The state is read and written once per step.
work counted(model what, method how) {
  const double word = fields_of(what) * sizeof(double);
  return {.bytes_logical = (stages_of(how) * 4.0 + 2) * word + stages_of(how) * 8 * sizeof(double),
          .bytes_dram = 2 * word,
          .bytes_dram_once = 0,
          .flops = step_flops(what, how)};
}

// One row of a stage between two columns, as pointers to the row of each field. The
// next row is `pitch` values away.
struct row {
  int begin, end;
  std::ptrdiff_t pitch;
  const double* argument[most_fields];
  const double* z[most_fields];
  double* sum[most_fields];
  double* result[most_fields];
  double coefficient[2];
  double weight, h;
};

template <class Model, class Terms, bool is_first, bool is_last>
[[gnu::always_inline]] inline void advance_cell(const row& r, const Terms& terms, int i) {
  double here[Model::fields];
  double term[Model::fields];
  for (int f = 0; f < Model::fields; ++f) here[f] = r.argument[f][i];
  Model::local_terms(terms, r.h, here, term);
  for (int f = 0; f < Model::diffusing; ++f) {
    const double* const at = r.argument[f] + i;
    term[f] += r.coefficient[f] * weighted_sum([&](int dx, int dy) { return at[dx + dy * r.pitch]; });
  }
  for (int f = 0; f < Model::fields; ++f) {
    if (Model::has_own_gates && f > 0) {
      r.result[f][i] = term[f];
      continue;
    }
    const double total = (is_first ? 0 : r.sum[f][i]) + r.weight * term[f];
    if (!is_last) r.sum[f][i] = total;
    r.result[f][i] = r.z[f][i] + r.h * (is_last ? total : term[f]);
  }
}

// Arguments are passed by value: otherwise the compiler must assume that a store may change them.
template <class Model, class Terms, bool is_vector, bool is_first, bool is_last>
[[gnu::always_inline]] inline void advance_row(const row r, const Terms terms) {
  if constexpr (is_vector) {
#pragma omp simd
    for (int i = r.begin; i < r.end; ++i) advance_cell<Model, Terms, is_first, is_last>(r, terms, i);
  } else {
    for (int i = r.begin; i < r.end; ++i) advance_cell<Model, Terms, is_first, is_last>(r, terms, i);
  }
}

template <class Model, class Terms, bool is_vector>
[[gnu::always_inline]] inline void advance_any_row(const row& r, const Terms& terms, bool is_first,
                                                   bool is_last) {
  if (is_first && is_last) return advance_row<Model, Terms, is_vector, true, true>(r, terms);
  if (is_first) return advance_row<Model, Terms, is_vector, true, false>(r, terms);
  if (is_last) return advance_row<Model, Terms, is_vector, false, true>(r, terms);
  return advance_row<Model, Terms, is_vector, false, false>(r, terms);
}

using row_function = void (*)(const row&, const chosen_terms&, bool is_first, bool is_last);

// The paper's terms with vectors of 1, 2, 4 and 8 doubles, and any other terms as
// the compiler vectorises them.
template <class Model>
[[gnu::optimize("no-tree-vectorize")]] void scalar_row(const row& r, const chosen_terms& t, bool is_first,
                                                       bool is_last) {
  advance_any_row<Model, usual_terms, false>(r, usual_terms{t.k}, is_first, is_last);
}
template <class Model>
void row_by_2(const row& r, const chosen_terms& t, bool is_first, bool is_last) {
  advance_any_row<Model, usual_terms, true>(r, usual_terms{t.k}, is_first, is_last);
}
#if defined(__x86_64__)
template <class Model>
[[gnu::target("arch=x86-64-v3")]] void row_by_4(const row& r, const chosen_terms& t, bool is_first,
                                                bool is_last) {
  advance_any_row<Model, usual_terms, true>(r, usual_terms{t.k}, is_first, is_last);
}
template <class Model>
[[gnu::target("arch=x86-64-v4,prefer-vector-width=512")]] void row_by_8(const row& r, const chosen_terms& t,
                                                                        bool is_first, bool is_last) {
  advance_any_row<Model, usual_terms, true>(r, usual_terms{t.k}, is_first, is_last);
}
#endif
template <class Model>
void chosen_row(const row& r, const chosen_terms& t, bool is_first, bool is_last) {
  advance_any_row<Model, chosen_terms, true>(r, t, is_first, is_last);
}

int widest_vectors() {
#if defined(__x86_64__) && (!defined(__clang__) || __clang_major__ >= 18)  // older clang lacks these levels
  if (__builtin_cpu_supports("x86-64-v4")) return 8;
  if (__builtin_cpu_supports("x86-64-v3")) return 4;
#endif
  return 2;
}

template <class Model>
row_function row_of_width(int width) {
  if (width > widest_vectors())
    throw unavailable("this processor has no vectors of " + std::to_string(width) + " doubles");
#if defined(__x86_64__)
  if (width == 8) return row_by_8<Model>;
  if (width == 4) return row_by_4<Model>;
#endif
  return width == 2 ? row_by_2<Model> : scalar_row<Model>;
}

// A thread's tile with its margin: the state, two arguments that alternate, and the sum over the stages.
class tile {
 public:
  void make_room(int fields, int margin) {
    pitch_ = tile_width + 2 * margin;
    height_ = tile_height + 2 * margin;
    const auto cells = static_cast<std::size_t>(pitch_) * static_cast<std::size_t>(height_);
    values_.resize(4 * static_cast<std::size_t>(fields) * cells);
  }
  int pitch() const { return pitch_; }
  int height() const { return height_; }
  // Row j of one of the four copies of a field.
  double* at(int copy, int field, int fields, int j) {
    const int rows = (copy * fields + field) * height_ + j;
    return values_.data() + static_cast<std::ptrdiff_t>(rows) * pitch_;
  }

 private:
  int pitch_{}, height_{};
  std::vector<double> values_;
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
    with_types(p, m, [&](auto model_type, auto terms) {
      using model_t = decltype(model_type);
      row_ = std::is_same_v<decltype(terms), usual_terms>
                 ? row_of_width<model_t>(p.vector_width == 0 ? widest_vectors() : p.vector_width)
                 : chosen_row<model_t>;
    });
    reset();
  }

  void reset() override {
    now_ = problem_.state0;
    next_ = now_;
  }

  void step(long count) override {
    const int across = (problem_.nx + tile_width - 1) / tile_width;
    const int tiles = across * ((problem_.ny + tile_height - 1) / tile_height);
    // Threads without a tile would only delay the others at the barriers.
#pragma omp parallel num_threads(std::min(tiles, omp_get_max_threads()))
    {
      tile mine;
      mine.make_room(fields(), schedule_.stages);
      for (long n = 0; n < count; ++n) {
#pragma omp for schedule(static)
        for (int t = 0; t < tiles; ++t) advance(mine, t % across * tile_width, t / across * tile_height);
#pragma omp single
        now_.swap(next_);
      }
    }
  }

  std::vector<std::vector<double>> state() override {
    return now_;
  }
  stopwatch& clock() override {
    return clock_;
  }
  work per_unit() const override {
    return counted(problem_.model, method_);
  }

 private:
  static constexpr int sum_copy = 3;

  int fields() const {
    return fields_of(problem_.model);
  }

  // Advances the tile whose own cells begin at (x0, y0).
  void advance(tile& mine, int x0, int y0) {
    const int margin = schedule_.stages;
    const int width = std::min(tile_width, problem_.nx - x0) + 2 * margin;
    const int height = std::min(tile_height, problem_.ny - y0) + 2 * margin;
    fetch(mine, x0 - margin, y0 - margin, width, height);
    int argument = 0;
    for (int s = 0; s < schedule_.stages; ++s) {
      const int result = argument == 1 ? 2 : 1;
      row r = row_of_stage(s, s + 1, width - s - 1, mine.pitch());
      for (int j = s + 1; j < height - s - 1; ++j) {
        point_at(r, mine, argument, result, j);
        row_(r, terms_, s == 0, s == schedule_.stages - 1);
      }
      argument = result;
    }
    for (int f = 0; f < fields(); ++f)
      for (int j = margin; j < height - margin; ++j)
        std::copy_n(mine.at(argument, f, fields(), j) + margin, width - 2 * margin,
                    next_[static_cast<std::size_t>(f)].data() + place(x0, y0 + j - margin));
  }

  row row_of_stage(int s, int begin, int end, int pitch) const {
    row r{};
    r.begin = begin;
    r.end = end;
    r.pitch = pitch;
    for (int f = 0; f < 2; ++f) r.coefficient[f] = coefficient_of(problem_, f);
    r.weight = schedule_.of[s].weight;
    r.h = schedule_.of[s].h;
    return r;
  }

  void point_at(row& r, tile& mine, int argument, int result, int j) const {
    for (int f = 0; f < fields(); ++f) {
      r.argument[f] = mine.at(argument, f, fields(), j);
      r.z[f] = mine.at(0, f, fields(), j);
      r.sum[f] = mine.at(sum_copy, f, fields(), j);
      r.result[f] = mine.at(result, f, fields(), j);
    }
  }

  // Copies the state from (x0, y0) on, which may lie beyond a border, into copy 0.
  void fetch(tile& mine, int x0, int y0, int width, int height) const {
    const int inside_from = std::max(0, -x0);
    const int inside_to = std::min(width, problem_.nx - x0);
    for (int f = 0; f < fields(); ++f)
      for (int j = 0; j < height; ++j) {
        const double* const from =
            now_[static_cast<std::size_t>(f)].data() + place(0, folded(problem_.border, y0 + j, problem_.ny));
        double* const to = mine.at(0, f, fields(), j);
        for (int i = 0; i < inside_from; ++i) to[i] = from[folded(problem_.border, x0 + i, problem_.nx)];
        std::copy(from + x0 + inside_from, from + x0 + inside_to, to + inside_from);
        for (int i = inside_to; i < width; ++i) to[i] = from[folded(problem_.border, x0 + i, problem_.nx)];
      }
  }

  std::ptrdiff_t place(int i, int j) const {
    return i + static_cast<std::ptrdiff_t>(problem_.nx) * j;
  }

  problem problem_;
  method method_{};
  schedule schedule_{};
  chosen_terms terms_{};
  row_function row_{};
  std::vector<std::vector<double>> now_, next_;
  steady_stopwatch clock_;
};

REPRISE_VARIANT(solver, openmp,
                {.summary = "all cores with SIMD, a whole step in tiles that stay in the cache",
                 .place = "beyond the paper",
                 .precisions = {precision::double_},
                 .per_unit = counted(model::karma, method::runge_kutta)});

}  // namespace
}  // namespace reprise::tissue
