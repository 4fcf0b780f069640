// SPDX-License-Identifier: MIT
// A machine on which something always disturbs timed work, whatever the environment says of disturbances.
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "benchmarks/harness/disturbance.hpp"

namespace reprise::testing {

// The program is stopped before each reading.
inline harness::load_counters load_with_stops() {
  static long stops = 0;
  harness::load_counters now;
  now.wall = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  now.stops = ++stops;
  return now;
}

class busy_machine {
 public:
  busy_machine() : kept_(harness::replace_load_source(load_with_stops)) {
    if (const char* const told = std::getenv("REPRISE_DISTURBANCE")) told_ = told;
    unsetenv("REPRISE_DISTURBANCE");
  }
  ~busy_machine() {
    harness::replace_load_source(kept_);
    if (told_) setenv("REPRISE_DISTURBANCE", told_->c_str(), 1);
  }
  busy_machine(const busy_machine&) = delete;
  busy_machine& operator=(const busy_machine&) = delete;

 private:
  harness::load_source kept_;
  std::optional<std::string> told_;  // by the environment
};

}  // namespace reprise::testing
