// SPDX-License-Identifier: MIT
// Compares the processor times of the program and of its threads.
#include "benchmarks/harness/workers.hpp"

#include <unistd.h>

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

double seconds_run_by(pid_t thread) {
  const auto account = read_thread_account("/proc/self/task/" + std::to_string(thread));
  return account ? account->ran : 0;
}

}  // namespace

processor_time processor_time_now() {
  processor_time now;
  now.all = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  now.here = seconds_of(CLOCK_THREAD_CPUTIME_ID);
  for (const pid_t thread : threads_bound_now()) now.team.push_back(seconds_run_by(thread));
  now.threads = threads_of_program();
  if (seconds_run_by(gettid()) == 0) return now;  // the kernel keeps no account
  now.ended = now.all;
  for (const pid_t thread : now.threads) now.ended -= seconds_run_by(thread);
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

team team_between(const processor_time& from, const processor_time& to) {
  const double all = to.all - from.all;
  constexpr double most_of_one = 1.2, much = .05;
  if (all < most_of_one * (to.here - from.here)) return team::none;
  const bool have_some_gone = !std::ranges::includes(to.threads, from.threads);
  return have_some_gone || to.ended - from.ended > much * all ? team::started : team::lasting;
}

}  // namespace reprise::harness
