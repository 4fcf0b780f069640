// SPDX-License-Identifier: MIT
// Per-backend hooks on a device: make it the current one, and check that it still works.
#pragma once

#include <string>

#include "solvers/common/base/device.hpp"

namespace reprise {

// The hooks of one backend; null means no-op.
struct device_calls {
  void (*use)(const device&){};
  void (*ask)(const device&){};  // throws the error of a device that no call can use any more
};

class device_calls_registration {
 public:
  device_calls_registration(backend kind, device_calls calls);
};

// Makes d the current device of this thread. Call it before constructing a solver: members of a solver may
// allocate on the current device before the solver's own constructor body could choose one.
void use(const device& d);

// The error of a device that has stopped working: after some errors every later call fails until the process
// ends. Empty while the device works.
std::string why_lost(const device& d);

}  // namespace reprise
