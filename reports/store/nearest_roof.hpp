// SPDX-License-Identifier: MIT
// Which roof a case comes nearest to, from its rows.
#pragma once

#include <string>

#include "reports/store/row.hpp"

namespace reprise::reports {

// The metric whose row says which of all measured roofs binds: the name stands before the first comma of its reason.
inline constexpr const char* binding_metric = "share_of_binding_roof";

struct nearest_roof {
  double percent{no_value};  // never more than 100
  std::string
      name;  // "shared memory"; of runs before all roofs were measured "copy (of two)" or "flops (of two)"

  std::string
      reached;  // what the device reached there: "31.2 TB/s", "2.65 us"; empty if the row does not say

  // Takes a row of the case into account, if it is of a share.
  void see(const row& r);

 private:
  bool binds_{};  // by its own row
  bool
      is_over_copy_{};  // an older row has more than 100 %: that roof was none, and which one is nearest is not known
};

}  // namespace reprise::reports
