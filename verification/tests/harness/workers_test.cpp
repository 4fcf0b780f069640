// SPDX-License-Identifier: MIT
// Tests that the threads that work are found.
#include "benchmarks/harness/workers.hpp"

#include <omp.h>

#include <chrono>
#include <thread>

#include "solvers/common/base/host_processors.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;

namespace {

using steady = std::chrono::steady_clock;

void work() {
  for (const auto end = steady::now() + std::chrono::milliseconds(100); steady::now() < end;) {
  }
}

void work_of_team() {
#pragma omp parallel
  work();
}

template <class Work>
worker worker_of(Work timed) {
  const processor_time before = processor_time_now();
  timed();
  return worker_between(before, processor_time_now());
}

}  // namespace

TEST_CASE("a thread that works alone is told from one beside a library's threads") {
  if (usable_processors() < 2) SKIP("one processor");
  std::this_thread::sleep_for(
      std::chrono::milliseconds(200));  // OpenBLAS's threads start with 100 ms of busy waiting
  CHECK(worker_of(work) == worker::processors);
  CHECK(worker_of([] {
          const std::jthread beside(work);
          work();
        }) == worker::library);
}

TEST_CASE("OpenMP's threads that work are told from those that wait") {
  if (usable_processors() < 2 || omp_get_max_threads() < 2) SKIP("one processor, or one thread");
  const bound_threads bound;
  if (threads_bound_now().empty()) SKIP("the environment says where threads go");
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  CHECK(worker_of(work_of_team) == worker::bound_team);
  CHECK(worker_of(work) == worker::processors);  // the team waits busily for some of the time
}
