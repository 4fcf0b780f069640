// SPDX-License-Identifier: MIT
// The roofs that a run measures: those of its devices that its folder does not have yet.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "benchmarks/harness/lost_devices.hpp"
#include "benchmarks/harness/roofs/rows.hpp"

namespace reprise::harness {

class roof_session {
 public:
  roof_session(std::string run, preset level, lost_devices& lost);

  // Adds a device, once.
  void add(const device& d);
  const std::vector<device>& devices() const { return devices_; }
  bool has(const device& d) const;
  std::size_t left() const { return devices_.size() - done_; }
  double seconds_left() const;

  struct measured {
    std::string text;
    double seconds;
  };
  // To be called once for each device, in their order.
  measured measure(const device& d);
  std::size_t done() const { return done_; }
  // Operations in GFLOP/s; 0 if they are not measured.
  double flops_of(const device& d) const;

  // Those of all devices. A case that seemed too fast had some measured again, so they are final after all cases.
  recorded_roofs recorded() const;

 private:
  recorded_roofs roofs_of(const device& d) const;

  std::string run_;
  preset level_;
  lost_devices& lost_;
  std::vector<device> devices_;
  std::vector<reports::row> rows_;  // of those that are measured
  std::size_t done_{};
  double seconds_{};
};

}  // namespace reprise::harness
