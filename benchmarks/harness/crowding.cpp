// SPDX-License-Identifier: MIT
// Times a chain of operations that wait for each other, and several chains side by side.
#include "benchmarks/harness/crowding.hpp"

#include <benchmark/benchmark.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace reprise::harness {
namespace {

constexpr int steps = 8000;

// So many chains keep all units for integers busy, as vectors or one by one.
constexpr std::size_t side_by_side = 7;

template <std::size_t chains>
std::uint64_t shuffle_bits(std::uint64_t seed) {
  std::array<std::uint64_t, chains> x;
  for (std::size_t k = 0; k < chains; ++k) x[k] = seed + k;
  for (int step = 0; step < steps; ++step)
    for (std::uint64_t& bits : x) {
      bits ^= bits << 13U;
      bits ^= bits >> 7U;
      bits ^= bits << 17U;
    }
  std::uint64_t all = 0;
  for (const std::uint64_t bits : x) all ^= bits;
  return all;
}

template <std::size_t chains>
double seconds() {
  std::uint64_t bits = 1;
  const auto begin = std::chrono::steady_clock::now();
  benchmark::DoNotOptimize(bits);  // otherwise the compiler knows the result
  bits = shuffle_bits<chains>(bits);
  benchmark::DoNotOptimize(bits);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// How long a single chain took, and several.
struct pace {
  double serial{}, parallel{};
};

// An interrupt, or a hypervisor that takes the processor away, lengthens some of a few, hardly ever all.
pace shortest_of_a_few() {
  pace least{seconds<1>(), seconds<side_by_side>()};
  for (int again = 1; again < 5; ++again) {
    least.serial = std::min(least.serial, seconds<1>());
    least.parallel = std::min(least.parallel, seconds<side_by_side>());
  }
  return least;
}

struct best_pace {
  std::atomic<double> serial{}, parallel{};
};

// Processors of one machine may differ, so each has a best of its own.
best_pace& best_of_this_processor() {
  static std::array<best_pace, CPU_SETSIZE> best{};
  return best[static_cast<std::size_t>(std::max(sched_getcpu(), 0)) % best.size()];
}

void lower(std::atomic<double>& known, double to) {
  double seen = known.load();
  while ((seen == 0 || to < seen) && !known.compare_exchange_weak(seen, to)) {
  }
}

}  // namespace

double crowding() {
  const pace now = shortest_of_a_few();
  best_pace& best = best_of_this_processor();
  lower(best.serial, now.serial);
  lower(best.parallel, now.parallel);
  // Both bests are those of the highest clock rate.
  const double at_best = best.parallel.load() / best.serial.load();
  return std::max(now.parallel / now.serial / at_best, 1.);
}

double crowding_of_team() {
  double largest = 1;
#pragma omp parallel reduction(max : largest)
  largest = crowding();
  return largest;
}

}  // namespace reprise::harness
