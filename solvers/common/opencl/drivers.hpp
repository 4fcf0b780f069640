// SPDX-License-Identifier: MIT
// Finds out why an installed OpenCL driver provides no platform, which the ICD loader does not tell.
#pragma once

#include <string>

namespace reprise {

// Text such as " (nvidia.icd: libnvidia-opencl.so.1: cannot open shared object file ...)";
// empty if no driver is installed.
std::string flaws_of_opencl_drivers();

}  // namespace reprise
