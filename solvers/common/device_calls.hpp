// SPDX-License-Identifier: MIT
// What one does with a device before and after a variant does: make it the one in use, and ask whether it
// still works.
#pragma once

#include <string>

#include "solvers/common/device.hpp"

namespace reprise {

// A backend's ways to do so. Either may be null, where there is nothing to do.
struct device_calls {
  void (*use)(const device&){};
  void (*ask)(const device&){};  // throws what a device answers that was lost
};

class device_calls_registration {
 public:
  device_calls_registration(backend kind, device_calls calls);
};

// From now on this thread's calls go to this device. Members of a solver may belong to the device that is in
// use when they are made, and they are made before the solver's own constructor can choose.
void use(const device& d);

// What a device says that has stopped working: after some errors every later call fails, for as long as the
// process lives. Empty while it works.
std::string why_lost(const device& d);

}  // namespace reprise
