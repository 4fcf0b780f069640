// SPDX-License-Identifier: MIT
// Times a chain of operations that wait for each other, several chains side by side, and messages between threads.
#include "benchmarks/harness/crowding.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/shortest_times.hpp"
#include "solvers/common/base/aligned.hpp"

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

// The compiler makes other code of the same chains in other builds.
std::string work_on(const char* kind, int processor) {
  return fmt::format("{} {} {} on processor {}", this_build().git, this_build().compiler, kind, processor);
}

struct pace_of_processor {
  int processor{};
  pace now;
};

pace_of_processor pace_here() {
  const pace now = shortest_of_a_few();
  return {sched_getcpu(), now};  // processors of one machine may differ, so each has a best of its own
}

double crowding_of(const pace_of_processor& p) {
  // Both shortest times are those of the highest clock rate.
  const double at_best = shortest_times_here().lower(work_on("parallel", p.processor), p.now.parallel) /
                         shortest_times_here().lower(work_on("serial", p.processor), p.now.serial);
  return std::max(p.now.parallel / p.now.serial / at_best, 1.);
}

// A number that one thread writes and the next one waits for, on cache lines of its own.
struct alignas(2 * cache_line_bytes) mailbox {
  std::atomic<int> message{};
};

// The first thread's part in passing messages round the team, and the others'. The messages are numbers that count up.
void send_round(mailbox& next, mailbox& mine, int message, int rounds) {
  for (const int last = message + rounds; message < last; ++message) {
    next.message.store(message, std::memory_order_release);
    while (mine.message.load(std::memory_order_acquire) != message) {
    }
  }
}

void pass_on(mailbox& next, mailbox& mine, int message, int rounds) {
  for (const int last = message + rounds; message < last; ++message) {
    while (mine.message.load(std::memory_order_acquire) != message) {
    }
    next.message.store(message, std::memory_order_release);
  }
}

// The shortest of a few times, for each thread that a message passes.
double seconds_a_thread() {
  constexpr int rounds = 40, tries = 5;
  std::vector<mailbox> boxes(static_cast<std::size_t>(omp_get_max_threads()));
  double shortest = std::numeric_limits<double>::infinity();
#pragma omp parallel
  {
    const auto team = static_cast<std::size_t>(omp_get_num_threads());
    const auto own = static_cast<std::size_t>(omp_get_thread_num());
    mailbox& next = boxes[(own + 1) % team];
    for (int first = 1; first < tries * rounds; first += rounds) {
      if (own > 0) {
        pass_on(next, boxes[own], first, rounds);
        continue;
      }
      const auto begin = std::chrono::steady_clock::now();
      send_round(next, boxes[own], first, rounds);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      shortest = std::min(shortest, took.count() / rounds / static_cast<double>(team));
    }
  }
  return shortest;
}

}  // namespace

double crowding() {
  return crowding_of(pace_here());
}

double crowding_of_team() {
  std::vector<pace_of_processor> paces(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  paces[static_cast<std::size_t>(omp_get_thread_num())] = pace_here();
  double largest = 1;
  for (const pace_of_processor& p : paces)
    if (p.now.serial > 0) largest = std::max(largest, crowding_of(p));
  return largest;
}

double distance_of_team() {
  const int threads = omp_get_max_threads();
  if (threads < 2) return 1;
  const double seconds = seconds_a_thread();
  return distance(seconds,
                  shortest_times_here().lower(fmt::format("a message between {} threads", threads), seconds));
}

double distance(double seconds, double shortest) {
  constexpr double within_a_shared_cache = 60e-9;
  return std::max(seconds / std::max(shortest, within_a_shared_cache), 1.);
}

}  // namespace reprise::harness
