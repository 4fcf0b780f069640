// SPDX-License-Identifier: MIT
// Repeats on the host what launches of one kernel make of an augmented matrix.
#include "verification/angiogenesis/kernel_check.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "solvers/angiogenesis/dense.hpp"
#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::angiogenesis {
namespace {

using checkers::finding;
using checkers::raise;
using reprise::angiogenesis::kernel_state;
using reprise::angiogenesis::matrix;

constexpr double unit_roundoff = checkers::unit_roundoff(precision::double_);

// The augmented matrix of a state: `rows` rows of one entry more.
struct augmented {
  const std::vector<double>& values;
  std::size_t rows;

  explicit augmented(const kernel_state& s) : values(s.augmented), rows(0) {
    while ((rows + 1) * (rows + 2) <= values.size()) ++rows;
  }
  double operator()(std::size_t i, std::size_t j) const { return values[i * (rows + 1) + j]; }
};

// The share of a state that differs from what is expected of it.
template <class Expected>
double differing(const augmented& after, Expected expected) {
  double wrong = 0;
  for (std::size_t i = 0; i < after.rows; ++i)
    for (std::size_t j = 0; j <= after.rows; ++j) wrong += after(i, j) == expected(i, j) ? 0 : 1;
  return wrong / static_cast<double>(after.values.size());
}

double pivot_error(const augmented& before, std::size_t column, const kernel_state& after) {
  std::size_t row = column;
  for (std::size_t i = column + 1; i < before.rows; ++i)
    if (std::abs(before(i, column)) > std::abs(before(row, column))) row = i;
  const bool is_found =
      after.row == static_cast<long long>(row) && after.magnitude == std::abs(before(row, column));
  return differing(augmented(after), [&](std::size_t i, std::size_t j) { return before(i, j); }) +
         (is_found ? 0 : 1);
}

double swap_error(const kernel_state& before, std::span<const int> columns, const augmented& after) {
  kernel_state expected = before;
  const auto width = static_cast<std::ptrdiff_t>(after.rows + 1);
  const auto row = [&](std::ptrdiff_t i) { return expected.augmented.begin() + i * width; };
  for (const int k : columns)
    std::swap_ranges(row(k), row(k + 1), row(static_cast<std::ptrdiff_t>(after.rows) - 1));
  const augmented swapped(expected);
  return differing(after, [&](std::size_t i, std::size_t j) { return swapped(i, j); });
}

// A launch for column k subtracts a_ik / a_kk * a_kj from every entry right of the column and below row k. Errors are
// relative to the entry and all that was subtracted from it.
double elimination_error(const augmented& before, std::span<const int> columns, const augmented& after) {
  const std::size_t n = before.rows;
  std::vector<long double> entries(before.values.begin(), before.values.end());
  std::vector<double> sizes(entries.size());
  for (std::size_t e = 0; e < entries.size(); ++e) sizes[e] = static_cast<double>(std::abs(entries[e]));
  for (const int column : columns) {
    const auto k = static_cast<std::size_t>(column);
    const long double* const pivot_row = &entries[k * (n + 1)];
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double multiplier = entries[i * (n + 1) + k] / pivot_row[k];
      for (std::size_t j = k + 1; j <= n; ++j) {
        const long double product = multiplier * pivot_row[j];
        entries[i * (n + 1) + j] -= product;
        sizes[i * (n + 1) + j] += static_cast<double>(std::abs(product));
      }
    }
  }
  double most = 0;
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const auto off = static_cast<double>(std::abs(after.values[e] - entries[e]));
    raise(most, off > 0 ? off / sizes[e] : off);
  }
  return most;
}

}  // namespace

kernel_state state_of(const matrix& a) {
  const std::size_t n = a.size();
  kernel_state s{std::vector<double>(n * (n + 1)), checkers::not_a_number, -1};
  reprise::angiogenesis::fill_dense(a, s.augmented, n + 1, 1);
  for (std::size_t i = 0; i < n; ++i) s.augmented[i * (n + 1) + n] = 1;
  return s;
}

kernel_state drawn_state(int order, const std::string& kernel) {
  const auto n = static_cast<std::size_t>(order);
  std::mt19937 random(static_cast<unsigned>(order));
  std::uniform_real_distribution<double> between(-1, 1);
  kernel_state s{std::vector<double>(n * (n + 1)), checkers::not_a_number, -1};
  for (double& value : s.augmented) value = between(random);
  if (kernel == "eliminate") {
    for (std::size_t i = 0; i < n; ++i)
      s.augmented[i * (n + 1) + i] = (i % 2 == 0 ? 1. : -1.) * static_cast<double>(order);
  } else {
    s.augmented[0] = .5;
    s.augmented[n / 2 * (n + 1)] = -1.5;
  }
  return s;
}

finding judge_launches(const std::string& metric, const std::string& kernel, const kernel_state& before,
                       std::span<const int> columns, const kernel_state& after) {
  const augmented from(before), to(after);
  if (columns.empty() || from.rows == 0 || before.augmented.size() != after.augmented.size())
    return {metric, checkers::not_a_number, 0, "a matrix, and at least one launch"};
  if (kernel == "pivot")
    return {metric, pivot_error(from, static_cast<std::size_t>(columns.back()), after), 0,
            "the first row of the largest entry, and the matrix as it was"};
  if (kernel == "swap")
    return {metric, swap_error(before, columns, to), 0, "two rows change places in every launch"};
  return {metric, elimination_error(from, columns, to),
          static_cast<double>(columns.size() + 3) * 2 * unit_roundoff,
          "each launch rounds a multiplier, a product and a difference"};
}

}  // namespace reprise::verification::angiogenesis
