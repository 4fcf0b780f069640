// SPDX-License-Identifier: MIT
// Reads the second number of schedstat, which the kernel keeps for each thread in nanoseconds.
#include "benchmarks/harness/duel/queueing.hpp"

#include <filesystem>
#include <fstream>

namespace reprise::duels {

std::optional<double> seconds_queued() {
  std::error_code code;
  double nanoseconds = 0;
  bool is_known = false;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", code)) {
    std::ifstream file(task.path() / "schedstat");
    double ran = 0, queued = 0;
    if (!(file >> ran >> queued)) continue;  // a thread that has ended meanwhile
    // A kernel without this account says zero for everything.
    is_known = is_known || ran > 0;
    nanoseconds += queued;
  }
  if (code || !is_known) return {};
  return nanoseconds * 1e-9;
}

}  // namespace reprise::duels
