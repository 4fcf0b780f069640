// SPDX-License-Identifier: MIT
// What the kernels of this program need on the first CUDA device.
#pragma once

#include <string>
#include <vector>

namespace reprise {

struct kernel_need {
  std::string architecture;  // of its machine code: "sm_90"
  std::string name;          // mangled
  int registers{};
  long local_bytes{};   // of a thread
  long shared_bytes{};  // static, of a block
};

using kernel_asker = std::vector<kernel_need> (*)();

// Registers who can ask the device. A build without CUDA has nobody.
class kernel_asker_registration {
 public:
  explicit kernel_asker_registration(kernel_asker ask);
};

// Empty without a device.
std::vector<kernel_need> needs_of_kernels();

}  // namespace reprise
