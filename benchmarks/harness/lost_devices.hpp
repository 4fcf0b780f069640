// SPDX-License-Identifier: MIT
// Remembers which devices stopped working in this process, so that their other cases are not tried for
// nothing.
#pragma once

#include <map>
#include <string>

#include "solvers/common/device.hpp"

namespace reprise::harness {

class lost_devices {
 public:
  // To be called after a failure on this device, which may have been its last.
  void ask(const device& d);
  // Why nothing more is tried on this device; empty while it works.
  std::string reason(const device& d) const;

 private:
  std::map<std::string, std::string> reasons_;  // by id
};

}  // namespace reprise::harness
