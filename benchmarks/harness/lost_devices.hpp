// SPDX-License-Identifier: MIT
// Remembers which devices stopped working in this process, so that their remaining cases are skipped.
#pragma once

#include <map>
#include <string>

#include "solvers/common/base/device.hpp"

namespace reprise::harness {

class lost_devices {
 public:
  // To be called after a failure on this device: checks whether the device still works.
  void ask(const device& d);
  // Why this device's cases are skipped; empty while the device works.
  std::string reason(const device& d) const;

 private:
  std::map<std::string, std::string> reasons_;  // by id
};

}  // namespace reprise::harness
