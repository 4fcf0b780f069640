// SPDX-License-Identifier: MIT
// Times a chain of operations that wait for each other, and several chains side by side.
#include "benchmarks/harness/crowding.hpp"

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

// A random number's bits, as the compiler cannot foresee them.
template <std::size_t chains>
[[gnu::noinline]] std::uint64_t shuffle_bits() {
  std::array<std::uint64_t, chains> x;
  for (std::size_t k = 0; k < chains; ++k) x[k] = k + 1;
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
  const auto begin = std::chrono::steady_clock::now();
  [[maybe_unused]] volatile const std::uint64_t result = shuffle_bits<chains>();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The median of a few is not disturbed by an interrupt.
double parallel_to_serial() {
  std::array<double, 5> ratios;
  for (double& ratio : ratios) {
    const double alone = seconds<1>();
    ratio = seconds<side_by_side>() / alone;
  }
  std::ranges::nth_element(ratios, ratios.begin() + 2);
  return ratios[2];
}

// Processors of one machine may differ, so each has a best of its own.
std::atomic<double>& best_of_this_processor() {
  static std::array<std::atomic<double>, CPU_SETSIZE> best{};
  return best[static_cast<std::size_t>(std::max(sched_getcpu(), 0)) % best.size()];
}

}  // namespace

double crowding() {
  const double now = parallel_to_serial();
  std::atomic<double>& best = best_of_this_processor();
  double known = best.load();
  while ((known == 0 || now < known) && !best.compare_exchange_weak(known, now)) {
  }
  return now / best.load();
}

double crowding_of_team() {
  double largest = 1;
#pragma omp parallel reduction(max : largest)
  largest = crowding();
  return largest;
}

}  // namespace reprise::harness
