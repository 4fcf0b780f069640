// SPDX-License-Identifier: MIT
// Says in words which code of this program a GPU runs, and what to do if that is code of an older architecture.
#pragma once

#include <string>

namespace reprise {

struct device_code {
  std::string runs;  // "sm_90", or "compute_75, compiled by the driver (JIT)"; empty if unknown or missing
  std::string
      remark;         // what is wrong with it and what to do; empty for code of the device's own architecture
  bool is_missing{};  // the program has no code that the device can run
};

// Architectures as ten times the major number plus the minor one: 90 for compute capability 9.0. `binary` is that
// of the machine code, and `source` that for which the source was compiled, which is older if the driver compiled
// PTX.
device_code describe_code(int device, int binary, int source);

// For a device that can run no code of the program; `why` is the driver's reason.
device_code describe_missing_code(int device, const std::string& why);

}  // namespace reprise
