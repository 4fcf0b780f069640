// SPDX-License-Identifier: MIT
// Repeats on the host what launches of one kernel make of an augmented matrix.
#include "verification/angiogenesis/kernel_check.hpp"

#include <cmath>
#include <random>

#include "verification/checkers/maximum.hpp"
#include "verification/checkers/rounding.hpp"

namespace reprise::verification::angiogenesis {
namespace {

using checkers::finding;
using checkers::raise;
using reprise::angiogenesis::kernel_state;

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

double pivot_error(const augmented& before, const kernel_state& after) {
  std::size_t row = 0;
  for (std::size_t i = 1; i < before.rows; ++i)
    if (std::abs(before(i, 0)) > std::abs(before(row, 0))) row = i;
  const bool is_found =
      after.row == static_cast<long long>(row) && after.magnitude == std::abs(before(row, 0));
  return differing(augmented(after), [&](std::size_t i, std::size_t j) { return before(i, j); }) +
         (is_found ? 0 : 1);
}

double swap_error(const augmented& before, long launches, const augmented& after) {
  const bool is_swapped = launches % 2 == 1;
  const std::size_t last = before.rows - 1;
  return differing(after, [&](std::size_t i, std::size_t j) {
    const bool is_moved = is_swapped && (i == 0 || i == last);
    return before(is_moved ? last - i : i, j);
  });
}

// Each launch subtracts a_i0 / a_00 * a_0j from every entry right of the first column and below the first
// row. Errors are relative to the entry and all that was subtracted from it.
double elimination_error(const augmented& before, long launches, const augmented& after) {
  double most = 0;
  for (std::size_t i = 0; i < before.rows; ++i)
    for (std::size_t j = 0; j <= before.rows; ++j) {
      const long double product =
          i == 0 || j == 0 ? 0
                           : static_cast<long double>(before(i, 0)) / before(0, 0) * before(0, j) * launches;
      const auto off = static_cast<double>(std::abs(after(i, j) - (before(i, j) - product)));
      const double size = std::abs(before(i, j)) + static_cast<double>(std::abs(product));
      raise(most, off > 0 ? off / size : off);
    }
  return most;
}

}  // namespace

kernel_state drawn_state(int order) {
  const auto n = static_cast<std::size_t>(order);
  std::mt19937 random(static_cast<unsigned>(order));
  std::uniform_real_distribution<double> between(-1, 1);
  kernel_state s{std::vector<double>(n * (n + 1)), checkers::not_a_number, -1};
  for (double& value : s.augmented) value = between(random);
  s.augmented[0] = .5;
  s.augmented[n / 2 * (n + 1)] = -1.5;
  return s;
}

finding judge_launches(const std::string& metric, const std::string& kernel, const kernel_state& before,
                       long launches, const kernel_state& after) {
  const augmented from(before), to(after);
  if (launches < 1 || from.rows == 0 || before.augmented.size() != after.augmented.size())
    return {metric, checkers::not_a_number, 0, "a matrix, and at least one launch"};
  if (kernel == "pivot")
    return {metric, pivot_error(from, after), 0,
            "the first row of the largest entry, and the matrix as it was"};
  if (kernel == "swap")
    return {metric, swap_error(from, launches, to), 0, "two rows change places in every launch"};
  return {metric, elimination_error(from, launches, to),
          static_cast<double>(launches + 3) * 2 * unit_roundoff,
          "each launch rounds a multiplier, a product and a difference"};
}

}  // namespace reprise::verification::angiogenesis
