// SPDX-License-Identifier: MIT
// What the loader of OpenCL keeps to itself: why a driver that is installed gives no platform.
#pragma once

#include <string>

namespace reprise {

// " (nvidia.icd: libnvidia-opencl.so.1: cannot open shared object file ...)" and the like; empty where no
// driver is installed.
std::string flaws_of_opencl_drivers();

}  // namespace reprise
