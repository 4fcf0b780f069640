// SPDX-License-Identifier: MIT
// Compares the processor times of the program and of its threads.
#include "benchmarks/harness/workers.hpp"

#include <algorithm>
#include <ctime>
#include <ranges>

#include "solvers/common/base/host_processors.hpp"

namespace reprise::harness {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_run_by(pid_t thread, const processor_time& at) {
  const auto found = at.threads.find(thread);
  return found == at.threads.end() ? 0 : found->second.ran;
}

// The processor time of the threads that have ended. Returns 0 where the kernel keeps no account of threads.
double seconds_of_ended(const processor_time& at) {
  double lasting = 0;
  for (const auto& [thread, account] : at.threads) lasting += account.ran;
  return lasting > 0 ? at.all - lasting : 0;
}

}  // namespace

processor_time processor_time_now() {
  return {seconds_of(CLOCK_PROCESS_CPUTIME_ID), seconds_of(CLOCK_THREAD_CPUTIME_ID), read_thread_accounts()};
}

worker worker_between(const processor_time& from, const processor_time& to) {
  const double here = to.here - from.here;
  const double much = .4 * here;
  double team = 0, most = 0;
  for (const pid_t thread : threads_bound_now()) {
    const double ran = seconds_run_by(thread, to) - seconds_run_by(thread, from);
    team += ran;
    most = std::max(most, ran);
  }
  if (most > much) return worker::bound_team;
  const double others = (to.all - from.all) - here - team;
  return others > much ? worker::library : worker::processors;
}

team team_between(const processor_time& from, const processor_time& to) {
  const double all = to.all - from.all;
  constexpr double most_of_one = 1.2, much = .05;
  if (all < most_of_one * (to.here - from.here)) return team::none;
  const bool have_some_gone =
      !std::ranges::includes(to.threads | std::views::keys, from.threads | std::views::keys);
  const double ended = seconds_of_ended(to) - seconds_of_ended(from);
  return have_some_gone || ended > much * all ? team::started : team::lasting;
}

}  // namespace reprise::harness
