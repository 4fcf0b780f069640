// SPDX-License-Identifier: MIT
// Per-backend hooks on a device: make it the current one, check that it still works, and say what code it runs.
#pragma once

#include <string>

#include "solvers/common/base/device.hpp"
#include "solvers/common/base/device_code.hpp"

namespace reprise {

// The hooks of one backend; null means no-op.
struct device_calls {
  void (*use)(const device&){};
  void (*ask)(const device&){};  // throws the error of a device that no call can use any more
  device_code (*code)(const device&){};
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

// The code of this program that runs on d. Unknown for a backend whose code is compiled at run time, and for a
// device that has stopped working.
device_code code_of(const device& d);

}  // namespace reprise
