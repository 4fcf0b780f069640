// SPDX-License-Identifier: MIT
// One row of cells in one stage on the host, with vectors of 1, 2, 4 or 8 doubles.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <type_traits>

#include "solvers/common/base/error.hpp"
#include "solvers/common/base/exponential.hpp"
#include "solvers/common/base/simd.hpp"
#include "solvers/tissue/cells.hpp"
#include "solvers/tissue/models.hpp"

namespace reprise::tissue {

constexpr int most_fields = 4;
// Rows are computed in whole vectors of the widest kind: the loop over a rest would take as long as several of them.
constexpr int widest = 8;

// One row of a stage from column `begin` on, as pointers to column 0 of each field.
struct row {
  int begin, count;
  const double* argument[3][most_fields];  // [1 + dy]: also the rows before and after it
  const double* z[most_fields];
  double* sum[most_fields];
  double* result[most_fields];
  double coefficient[2];
  double weight, h;
};

// The usual terms with an exponential that compilers turn into vector instructions of any width.
struct lane_terms : usual_terms {
  // To a unit in the last place for |x| < 700. Beyond that, the argument is clamped. A NaN remains one.
  REPRISE_INLINED static double exponential(double x) {
    constexpr double magic = 6755399441055744.;  // 1.5 * 2^52: adding it rounds to an integer
    const double below = 700 < x ? 700 : x;
    const double safe = -700 > below ? -700 : below;
    const double shifted = safe * 1.4426950408889634 + magic;
    const double n = shifted - magic;
    const double r = (safe - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    const double series = exponential_tail<double>(r) * r + 1;
    // The lowest bits of the shifted number are those of n.
    const std::uint64_t exponent = std::bit_cast<std::uint64_t>(shifted) << 52U;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(series) + exponent);
  }
  REPRISE_INLINED double rising(double a, double x) const { return 1 / (1 + exponential(-2 * a * x)); }
};

template <class Model, class Terms, bool is_first, bool is_last>
[[gnu::always_inline]] inline void advance_cell(const row& r, const Terms& terms, int i) {
  double here[Model::fields];
  double term[Model::fields];
  for (int f = 0; f < Model::fields; ++f) here[f] = r.argument[1][f][i];
  Model::local_terms(terms, r.h, here, term);
  for (int f = 0; f < Model::diffusing; ++f) {
    const auto at = [&](int dx, int dy) { return r.argument[1 + dy][f][i + dx]; };
    term[f] += r.coefficient[f] * weighted_sum(at);
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
  const int end = r.begin + (r.count + widest - 1) / widest * widest;
  if constexpr (is_vector) {
#pragma omp simd
    for (int i = r.begin; i < end; ++i) advance_cell<Model, Terms, is_first, is_last>(r, terms, i);
  } else {
    for (int i = r.begin; i < end; ++i) advance_cell<Model, Terms, is_first, is_last>(r, terms, i);
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

// The paper's terms with vectors of 1, 2, 4 and 8 doubles, and any other terms as the compiler vectorises them. Without
// fused multiply-adds, which only the wider vectors have, the C library's exponential is the faster one.
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
  advance_any_row<Model, lane_terms, true>(r, lane_terms{{t.k}}, is_first, is_last);
}
template <class Model>
[[gnu::target("arch=x86-64-v4,prefer-vector-width=512")]] void row_by_8(const row& r, const chosen_terms& t,
                                                                        bool is_first, bool is_last) {
  advance_any_row<Model, lane_terms, true>(r, lane_terms{{t.k}}, is_first, is_last);
}
#endif
template <class Model>
void chosen_row(const row& r, const chosen_terms& t, bool is_first, bool is_last) {
  advance_any_row<Model, chosen_terms, true>(r, t, is_first, is_last);
}

inline int widest_vectors() {
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

// The function for a problem's model, method, terms and vectors.
inline row_function row_function_of(const problem& p, method m) {
  return with_types(p, m, [&](auto model_type, auto terms) -> row_function {
    using model_t = decltype(model_type);
    if (!std::is_same_v<decltype(terms), usual_terms>) return chosen_row<model_t>;
    return row_of_width<model_t>(p.vector_width == 0 ? widest_vectors() : p.vector_width);
  });
}

}  // namespace reprise::tissue
