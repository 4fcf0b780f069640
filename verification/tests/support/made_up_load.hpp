// SPDX-License-Identifier: MIT
// A machine on which nothing disturbs timed work, and one on which something always does. Both judge disturbances whatever the
// environment says.
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "benchmarks/harness/disturbance.hpp"

namespace reprise::testing {

template <int stops_a_reading>
harness::load_counters made_up_load() {
  static long stops = 0;
  harness::load_counters now;
  now.wall = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  now.stops = stops += stops_a_reading;
  return now;
}

template <int stops_a_reading>
class machine_with {
 public:
  machine_with() : kept_(harness::replace_load_source(made_up_load<stops_a_reading>)) {
    if (const char* const told = std::getenv("REPRISE_DISTURBANCE")) told_ = told;
    unsetenv("REPRISE_DISTURBANCE");
  }
  ~machine_with() {
    harness::replace_load_source(kept_);
    if (told_) setenv("REPRISE_DISTURBANCE", told_->c_str(), 1);
  }
  machine_with(const machine_with&) = delete;
  machine_with& operator=(const machine_with&) = delete;

 private:
  harness::load_source kept_;
  std::optional<std::string> told_;  // by the environment
};

using quiet_machine = machine_with<0>;
using busy_machine = machine_with<1>;

}  // namespace reprise::testing
