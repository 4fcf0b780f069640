// SPDX-License-Identifier: MIT
// Maxima over many values, by several threads. They keep a NaN, like those in maximum.hpp.
#pragma once

#include <array>
#include <cstddef>

#include "verification/checkers/maximum.hpp"

namespace reprise::checkers {

// The largest of zero and values(0)[n] ... values(count - 1)[n], for each n.
template <std::size_t N, class Values>
std::array<double, N> largest_of_each(std::size_t count, Values values) {
  constexpr std::size_t worth_threads = 1 << 12;
  std::array<double, N> most{};
  const auto raise_each = [](std::array<double, N>& all, const std::array<double, N>& by) {
    for (std::size_t n = 0; n < N; ++n) raise(all[n], by[n]);
  };
#pragma omp parallel if (count >= worth_threads)
  {
    std::array<double, N> mine{};
#pragma omp for schedule(static) nowait
    for (std::size_t k = 0; k < count; ++k) raise_each(mine, values(k));
#pragma omp critical(reprise_largest_of_each)
    raise_each(most, mine);
  }
  return most;
}

// The largest of zero and value(0) ... value(count - 1).
template <class Value>
double largest_over(std::size_t count, Value value) {
  return largest_of_each<1>(count, [&](std::size_t k) { return std::array{value(k)}; }).front();
}

}  // namespace reprise::checkers
