// SPDX-License-Identifier: MIT
// Variants that choose something for the device that they run on.
#pragma once

#include <string>

namespace reprise {

// A second base of a solver. Rows of its times say what it chose.
class chooses_for_device {
 public:
  virtual ~chooses_for_device() = default;
  // "4 cells an item, 64 items a group"; empty before a problem is loaded.
  virtual std::string choice() const = 0;
};

}  // namespace reprise
