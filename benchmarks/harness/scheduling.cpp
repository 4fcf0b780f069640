// SPDX-License-Identifier: MIT
// Reads schedstat.
#include "benchmarks/harness/scheduling.hpp"

#include <fstream>
#include <system_error>

namespace reprise::harness {

std::optional<thread_account> read_thread_account(const std::filesystem::path& thread) {
  std::ifstream file(thread / "schedstat");
  double ran{};
  double queued{};
  if (!(file >> ran >> queued)) return {};
  constexpr double nanosecond = 1e-9;
  return thread_account{ran * nanosecond, queued * nanosecond};
}

std::optional<double> seconds_queued() {
  std::error_code failed;
  double queued = 0;
  bool is_known = false;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    const auto account = read_thread_account(thread.path());
    if (!account) continue;
    // A kernel without this account says zero for everything.
    is_known = is_known || account->ran > 0;
    queued += account->queued;
  }
  if (failed || !is_known) return {};
  return queued;
}

}  // namespace reprise::harness
