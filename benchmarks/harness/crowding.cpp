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
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "benchmarks/harness/build_info.hpp"
#include "benchmarks/harness/shortest_times.hpp"
#include "reports/store/statistics.hpp"
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

// The compiler makes other code of the same chains in other builds.
std::string work_on(const char* kind, const std::string& place) {
  return fmt::format("{} {} {} on {}", this_build().git, this_build().compiler, kind, place);
}

double crowding(const pace& now, const std::string& place) {
  // Both shortest times are those of the highest clock rate. A core that another thread left for a moment was not at its best.
  const double at_best = shortest_times_here().lower(work_on("parallel", place), now.longest_parallel) /
                         shortest_times_here().lower(work_on("serial", place), now.serial);
  return std::max(now.parallel / now.serial / at_best, 1.);
}

// An interrupt, or a hypervisor that takes a processor away, changes some of a few, hardly ever most: its own time becomes longer,
// that of its core's other thread shorter. The threads of a team begin each piece of work together; outside of a parallel region a
// barrier waits for nobody.
pace pace_here() {
  std::vector<double> serial(5), parallel(5);
  for (std::size_t n = 0; n < serial.size(); ++n) {
#pragma omp barrier
    serial[n] = seconds<1>();
#pragma omp barrier
    parallel[n] = seconds<side_by_side>();
  }
  return {reports::median(serial), reports::median(parallel), std::ranges::max(parallel)};
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
  const pace now = pace_here();
  return crowding_of_thread(now, sched_getcpu());
}

double crowding_of_thread(const pace& now, int processor) {
  // Processors of one machine may differ, so each has a best of its own.
  return crowding(now, fmt::format("processor {}", processor));
}

double crowding_of_team() {
  std::vector<pace> threads(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  threads[static_cast<std::size_t>(omp_get_thread_num())] = pace_here();
  std::erase_if(threads, [](const pace& of) { return of.serial == 0; });  // OpenMP may start fewer
  return crowding_of_team(threads);
}

double crowding_of_team(const std::vector<pace>& threads) {
  std::vector<double> serial;
  pace slowest;
  for (const pace& of : threads) {
    serial.push_back(of.serial);
    slowest.parallel = std::max(slowest.parallel, of.parallel);
    slowest.longest_parallel = std::max(slowest.longest_parallel, of.longest_parallel);
  }
  slowest.serial = reports::median(serial);
  return crowding(slowest, fmt::format("a team of {}", threads.size()));
}

double lasting(const std::function<double()>& look, double most) {
  constexpr std::chrono::milliseconds moment{3};
  double least = look();
  for (int looks = 1; looks < 3 && least > most; ++looks) {
    std::this_thread::sleep_for(moment);
    least = std::min(least, look());
  }
  return least;
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
