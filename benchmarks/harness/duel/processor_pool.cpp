// SPDX-License-Identifier: MIT
// Prefers processors whose last bout waited least.
#include "benchmarks/harness/duel/processor_pool.hpp"

#include <algorithm>

namespace reprise::duels {

processor_pool::processor_pool(const std::vector<int>& processors) {
  for (const int p : processors) seats_.push_back({p});
}

int processor_pool::draw(std::mt19937_64& random) const {
  const int least = std::ranges::min(seats_, {}, &seat::other_work).other_work;
  std::vector<int> best;
  for (const seat& s : seats_)
    if (s.other_work == least) best.push_back(s.processor);
  return best.at(std::uniform_int_distribution<std::size_t>(0, best.size() - 1)(random));
}

void processor_pool::learn(int processor, double waited) {
  std::ranges::find(seats_, processor, &seat::processor)->other_work =
      static_cast<int>(std::clamp(10 * waited, 0., 10.));
}

}  // namespace reprise::duels
