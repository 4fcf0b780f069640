// SPDX-License-Identifier: MIT
// Tests that work on the other hardware thread of a core is seen, and processors that are far apart.
#include "benchmarks/harness/crowding.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

double usual_crowding() {
  std::vector<double> seen(21);
  for (double& now : seen) now = crowding();
  std::ranges::nth_element(seen, seen.begin() + 10);
  return seen[10];
}

}  // namespace

TEST_CASE("a core is never less crowded than at best") {
  for (int again = 0; again < 20; ++again) CHECK(crowding() >= 1);
  CHECK(crowding_of_team() >= 1);
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
  const double alone = usual_crowding();
  const pid_t child = fork();
  if (child == 0) {
    stay_on({threads->second});
    fill_units();
  }
  const double shared = usual_crowding();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  stay_on(before);
  CAPTURE(alone, shared);
  CHECK(shared > 1.15 * alone);
}
