// SPDX-License-Identifier: MIT
// What sensors of a device measure: the energy it has used, its clock, and whether it is throttled.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace reprise::harness {

struct clock_state {
  std::optional<double> mhz;
  std::string held_back;  // "power cap", "thermal slowdown"; empty if not throttled
};

class sensors {
 public:
  virtual ~sensors() = default;
  // Joules since some fixed moment. Throws unavailable, with the reason, if they cannot be read.
  virtual double energy_joules() = 0;
  virtual clock_state clock() = 0;
  // From now on `disturbed_by` speaks of what follows.
  virtual void watch_anew() {}
  // Which other program has used the device since this object was made or last told to watch anew, or what slows the device
  // down; empty if nothing is known.
  virtual std::string disturbed_by() { return ""; }
  // Driver, clocks, power limit, ECC and the like, for run.json.
  virtual nlohmann::json describe() = 0;
};

}  // namespace reprise::harness
