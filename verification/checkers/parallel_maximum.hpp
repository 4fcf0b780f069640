// SPDX-License-Identifier: MIT
// Maxima over many values, by several threads. They keep a NaN, like those in maximum.hpp.
#pragma once

#include <cstddef>

#include "verification/checkers/maximum.hpp"

namespace reprise::checkers {

// The largest of value(0) ... value(count - 1) and zero.
template <class Value>
double largest_over(std::size_t count, Value value) {
  constexpr std::size_t worth_threads = 1 << 12;
  double most = 0;
#pragma omp parallel if (count >= worth_threads)
  {
    double mine = 0;
#pragma omp for schedule(static) nowait
    for (std::size_t k = 0; k < count; ++k) raise(mine, value(k));
#pragma omp critical(reprise_largest_over)
    raise(most, mine);
  }
  return most;
}

}  // namespace reprise::checkers
