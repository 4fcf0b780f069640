// SPDX-License-Identifier: MIT
// Tests that work on the other hardware thread of a core is seen, and processors that are far apart.
#include "benchmarks/harness/crowding.hpp"

#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/store/statistics.hpp"
#include "solvers/common/base/host_processors.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;

namespace {

// Two allowed processors that this machine says are threads of one core.
std::optional<std::pair<int, int>> two_threads_of_a_core() {
  const std::vector<int> allowed = allowed_processors();
  for (const int processor : allowed) {
    std::ifstream in("/sys/devices/system/cpu/cpu" + std::to_string(processor) +
                     "/topology/thread_siblings_list");
    int first{};
    int second{};
    char between{};
    if (!(in >> first >> between >> second)) continue;  // "0-1" or "0,64"; "0" alone has no second one
    if (first != second && std::ranges::count(allowed, first) == 1 &&
        std::ranges::count(allowed, second) == 1)
      return std::pair(first, second);
  }
  return {};
}

[[noreturn]] void fill_units() {
  for (std::uint64_t a = 1, b = 2, c = 3, d = 4;;) {
    a = a * 3 + 1, b = b ^ (b << 7U), c = c + (c >> 3U), d = d * 5 + 1;
    [[maybe_unused]] const volatile std::uint64_t kept = a ^ b ^ c ^ d;
  }
}

constexpr pace with_core_alone{1, 2, 2};
constexpr pace on_shared_core{1, 3.6, 3.6};

// More threads than real teams have, whose times are kept as well. The others have their cores alone.
std::vector<pace> team(std::size_t size, std::vector<pace> first) {
  first.resize(size, with_core_alone);
  return first;
}

template <typename Crowding>
double usual(Crowding&& of) {
  std::vector<double> seen(21);
  for (double& now : seen) now = of();
  return reports::median(seen);
}

}  // namespace

TEST_CASE("a core is never less crowded than at best") {
  for (int again = 0; again < 20; ++again) CHECK(crowding() >= 1);
  CHECK(crowding_of_team() >= 1);
}

TEST_CASE("a team is compared with teams of its size at their best, since its threads may share cores") {
  constexpr std::size_t small = 1001, large = 1002;
  CHECK(crowding_of_team(team(small, {with_core_alone})) == 1);
  CHECK(crowding_of_team(team(large, {on_shared_core, on_shared_core})) == 1);
  CHECK(std::abs(crowding_of_team(team(small, {on_shared_core, on_shared_core})) - 1.8) < 1e-12);
  CHECK(std::abs(crowding_of_team(team(large, {{1, 1.5 * 3.6, 1.5 * 3.6}})) - 1.5) < 1e-12);
}

TEST_CASE("a team is no slower once other ones of its threads share a core") {
  constexpr std::size_t size = 1003;
  CHECK(crowding_of_team(team(size, {with_core_alone, on_shared_core, on_shared_core})) == 1);
  CHECK(crowding_of_team(team(size, {on_shared_core, with_core_alone, with_core_alone, on_shared_core})) ==
        1);
  CHECK(crowding_of_team(team(size, {on_shared_core, on_shared_core, on_shared_core, on_shared_core})) == 1);
}

TEST_CASE("a core whose clock slows down is not more crowded") {
  constexpr int processor = -2;
  CHECK(crowding_of_thread({1, 2, 2}, processor) == 1);
  CHECK(std::abs(crowding_of_thread({1.5, 3, 3}, processor) - 1) < 1e-12);
  CHECK(std::abs(crowding_of_thread({1.5, 4.5, 4.5}, processor) - 1.5) < 1e-12);
}

TEST_CASE("a core that another thread left for a moment was not at its best") {
  constexpr int processor = -3;
  CHECK(crowding_of_thread({1, 2, 3.6}, processor) == 1);
  CHECK(crowding_of_thread({1, 3.6, 3.6}, processor) == 1);
  CHECK(crowding_of_thread({1, 2, 2}, processor) == 1);
  CHECK(std::abs(crowding_of_thread({1, 3.6, 3.6}, processor) - 1.8) < 1e-12);
}

TEST_CASE("a crowding that is gone some milliseconds later does not last") {
  const auto least_of = [](std::vector<double> seen) {
    auto next = seen.begin();
    const double least = lasting([&] { return *next++; }, 1.15);
    return std::pair(least, next - seen.begin());
  };
  CHECK(least_of({1.1, 1.8}) == std::pair(1.1, std::ptrdiff_t{1}));
  CHECK(least_of({1.8, 1.05, 1.8}) == std::pair(1.05, std::ptrdiff_t{2}));
  CHECK(least_of({1.8, 1.5, 1.6}) == std::pair(1.5, std::ptrdiff_t{3}));
}

TEST_CASE("processors are further apart than at best once messages between them take longer") {
  CHECK(distance_of_team() >= 1);
  CHECK(distance(250e-9, 50e-9) > 4);
  CHECK(std::abs(distance(300e-9, 100e-9) - 3) < 1e-9);
  CHECK(distance(55e-9, 20e-9) == 1);  // two cores now, two hardware threads of a core before
}

TEST_CASE("the compiler does not know the result of the work that is timed") {
  crowding();
  double shortest = 1;
  for (int again = 0; again < 5; ++again) {
    const auto begin = std::chrono::steady_clock::now();
    crowding();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    shortest = std::min(shortest, took.count());
  }
  CHECK(shortest > 5 * 6 * 8000 / 10e9);  // five chains of six operations in 8000 steps, at 10 GHz
}

TEST_CASE("work on the other thread of its core makes a core more crowded") {
  const auto threads = two_threads_of_a_core();
  if (!threads) SKIP("this machine does not say which processors share a core");
  const std::vector<int> before = allowed_processors();
  stay_on({threads->first});
  const double alone = usual([] { return crowding(); });
  const pid_t child = fork();
  if (child == 0) {
    stay_on({threads->second});
    fill_units();
  }
  const double shared = usual([] { return crowding(); });
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  stay_on(before);
  CAPTURE(alone, shared);
  CHECK(shared > 1.15 * alone);
}

TEST_CASE("threads of a team that share a core are no disturbance for each other") {
  const auto threads = two_threads_of_a_core();
  if (!threads) SKIP("this machine does not say which processors share a core");
  const std::vector<int> before = allowed_processors();
  const int team = omp_get_max_threads();
  for (const int processor : {threads->first, threads->second}) {
    stay_on({processor});
    crowding();  // the shortest time of this processor is now that of a core without other work
  }
  omp_set_num_threads(2);
#pragma omp parallel
  stay_on({omp_get_thread_num() == 0 ? threads->first : threads->second});
  const double shared = usual([] { return crowding_of_team(); });
#pragma omp parallel
  stay_on(before);
  omp_set_num_threads(team);
  CAPTURE(shared);
  CHECK(shared < 1.15);
}
