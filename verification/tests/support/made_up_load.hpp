// SPDX-License-Identifier: MIT
// Machines with made-up counters, whatever the environment says of disturbances.
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "benchmarks/harness/disturbance.hpp"

namespace reprise::testing {

// Nothing happens but that time passes.
inline harness::load_counters load_of_nothing() {
  harness::load_counters now;
  now.wall = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return now;
}

// The program is stopped before each reading.
inline harness::load_counters load_with_stops() {
  static long stops = 0;
  harness::load_counters now = load_of_nothing();
  now.stops = ++stops;
  return now;
}

class made_up_machine {
 public:
  explicit made_up_machine(harness::load_source load) : kept_(harness::replace_load_source(load)) {
    if (const char* const told = std::getenv("REPRISE_DISTURBANCE")) told_ = told;
    unsetenv("REPRISE_DISTURBANCE");
  }
  ~made_up_machine() {
    harness::replace_load_source(kept_);
    if (told_) setenv("REPRISE_DISTURBANCE", told_->c_str(), 1);
  }
  made_up_machine(const made_up_machine&) = delete;
  made_up_machine& operator=(const made_up_machine&) = delete;

 private:
  harness::load_source kept_;
  std::optional<std::string> told_;  // by the environment
};

// Something always disturbs timed work.
struct busy_machine : made_up_machine {
  busy_machine() : made_up_machine(load_with_stops) {}
};

}  // namespace reprise::testing
