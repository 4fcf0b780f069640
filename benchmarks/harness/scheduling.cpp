// SPDX-License-Identifier: MIT
// Reads schedstat.
#include "benchmarks/harness/scheduling.hpp"

#include <fstream>
#include <string>

#include "solvers/common/base/host_processors.hpp"

namespace reprise::harness {

std::optional<thread_account> read_thread_account(const std::filesystem::path& thread) {
  std::ifstream file(thread / "schedstat");
  double ran{};
  double queued{};
  if (!(file >> ran >> queued)) return {};
  constexpr double nanosecond = 1e-9;
  return thread_account{ran * nanosecond, queued * nanosecond};
}

std::map<pid_t, thread_account> read_thread_accounts() {
  std::map<pid_t, thread_account> all;
  for (const pid_t thread : threads_of_program())
    if (const auto account = read_thread_account("/proc/self/task/" + std::to_string(thread)))
      all.emplace(thread, *account);
  return all;
}

std::optional<double> seconds_queued() {
  double queued = 0;
  bool is_known = false;
  for (const auto& [thread, account] : read_thread_accounts()) {
    // A kernel without this account says zero for everything.
    is_known = is_known || account.ran > 0;
    queued += account.queued;
  }
  if (!is_known) return {};
  return queued;
}

}  // namespace reprise::harness
