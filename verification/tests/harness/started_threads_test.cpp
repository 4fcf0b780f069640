// SPDX-License-Identifier: MIT
// Cases whose runs start threads: these inherit the processors of the thread that starts them.
#include <omp.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "benchmarks/harness/timing.hpp"
#include "solvers/common/base/host_processors.hpp"
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using namespace reprise::testing;

namespace {

using steady = std::chrono::steady_clock;

void work() {
  for (const auto end = steady::now() + std::chrono::milliseconds(2); steady::now() < end;) {
  }
}

// Counts the threads of its latest run that share the first processor with the thread that started them.
struct case_that_starts_threads : pretended {
  case_that_starts_threads() : pretended({true, true}), first_{allowed_processors().front()} {}

  double run(int repeats) override {
    confined = 0;
    steady_stopwatch clock;
    clock.start();
    for (int n = 0; n < repeats; ++n) work_in_threads();
    return clock.stop();
  }

  virtual void work_in_threads() = 0;

  void work_as_started() {
    if (allowed_processors() == first_) ++confined;
    work();
  }

  std::vector<int> first_;
  inline static std::atomic<int> confined;
};

// OpenMP ends the threads that a smaller team does not need, and starts others for a larger one.
struct teams_of_two_sizes final : case_that_starts_threads {
  void work_in_threads() override {
    for (const int threads : {4, 2}) {
#pragma omp parallel num_threads(threads)
      {
#pragma omp masked
        work();
        if (omp_get_thread_num() > 0) work_as_started();
      }
    }
  }
};

struct threads_for_each_run final : case_that_starts_threads {
  void work_in_threads() override {
    const std::jthread one([this] { work_as_started(); });
    const std::jthread other([this] { work_as_started(); });
    work();
  }
};

struct a_kept_team final : case_that_starts_threads {
  void work_in_threads() override {
#pragma omp parallel
    {
#pragma omp masked
      is_first_bound = allowed_processors() == first_;
      work();
    }
  }
  inline static bool is_first_bound;
};

template <class Case>
void time_case() {
  case_plan plan = made_up_plan({true, true});
  plan.cold_metric = "";
  plan.make = [](const variant&, const device&) { return std::make_unique<Case>(); };
  const auto rows =
      measured(plan, made_up_target(devices_of(backend::cpu).devices.front()), preset::quick).rows;
  REQUIRE_FALSE(rows.empty());
}

bool are_threads_placed_here() {
  return usable_processors() > 1 && !is_told_where_threads_go();
}

}  // namespace

TEST_CASE("threads that each run starts are not confined to the processor of the first one") {
  if (!are_threads_placed_here()) SKIP("one processor, or the environment says where threads go");
  time_case<teams_of_two_sizes>();
  CHECK(case_that_starts_threads::confined == 0);
  time_case<threads_for_each_run>();
  CHECK(case_that_starts_threads::confined == 0);
}

TEST_CASE("the first thread of a team that lasts is bound while it is timed") {
  if (!are_threads_placed_here() || omp_get_max_threads() < 2) SKIP("threads are not bound here");
  time_case<a_kept_team>();
  CHECK(a_kept_team::is_first_bound);
}
