// SPDX-License-Identifier: MIT
// The processor's own counters, by the kernel's perf events.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace reprise::counting {

struct processor_counts {
  std::int64_t instructions{}, branches{}, cache_misses{};
  std::string missing;  // why there are none
};

// Counts this thread outside the kernel, from construction to stop().
class processor_counters {
 public:
  processor_counters();
  ~processor_counters();
  processor_counters(const processor_counters&) = delete;
  processor_counters& operator=(const processor_counters&) = delete;

  void start();
  processor_counts stop();

 private:
  std::array<int, 3> files_{-1, -1, -1};
  std::string missing_;
};

}  // namespace reprise::counting
