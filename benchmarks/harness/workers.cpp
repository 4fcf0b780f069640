// SPDX-License-Identifier: MIT
// Compares the processor times of the program and of its threads.
#include "benchmarks/harness/workers.hpp"

#include <algorithm>
#include <ctime>
#include <string>

#include "benchmarks/harness/scheduling.hpp"
#include "solvers/common/base/host_processors.hpp"

namespace reprise::harness {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

processor_time processor_time_now() {
  processor_time now{seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_THREAD_CPUTIME_ID), {}};
  for (const pid_t thread : threads_bound_now()) {
    const auto account = read_thread_account("/proc/self/task/" + std::to_string(thread));
    now.team.push_back(account ? account->ran : 0);
  }
  return now;
}

worker worker_between(const processor_time& from, const processor_time& to) {
  const double here = to.here - from.here;
  const double much = .4 * here;
  double team = 0, most = 0;
  for (std::size_t n = 0; n < std::min(from.team.size(), to.team.size()); ++n) {
    team += to.team[n] - from.team[n];
    most = std::max(most, to.team[n] - from.team[n]);
  }
  if (most > much) return worker::bound_team;
  const double others = (to.all - from.all) - here - team;
  return others > much ? worker::library : worker::processors;
}

}  // namespace reprise::harness
