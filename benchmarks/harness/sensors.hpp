// SPDX-License-Identifier: MIT
// What a device's own sensors say: the energy it has used, its clock, and whether it is being held back. GPUs
// through NVML, loaded at run time so that a machine without it needs nothing; processors through RAPL and
// cpufreq.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "solvers/common/device.hpp"

namespace reprise::harness {

struct clock_state {
  std::optional<double> mhz;
  std::string held_back;  // "power cap", "thermal slowdown"; empty when not
};

class sensors {
 public:
  virtual ~sensors() = default;
  // Joules since some fixed moment. Throws unavailable with the reason where they cannot be read.
  virtual double energy_joules() = 0;
  virtual clock_state clock() = 0;
  // Driver, clocks, power limit, ECC and the like, for run.json.
  virtual nlohmann::json describe() = 0;
};

std::unique_ptr<sensors> sensors_of(const device& d);

// One sentence when the clock moved by more than a twentieth or the device was held back meanwhile; else
// empty.
std::string clock_change(const clock_state& before, const clock_state& after);

}  // namespace reprise::harness
