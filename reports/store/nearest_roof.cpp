// SPDX-License-Identifier: MIT
// The binding roof, or of runs without it the larger of two shares.
#include "reports/store/nearest_roof.hpp"

#include <cmath>

namespace reprise::reports {

void nearest_roof::see(const row& r) {
  if (r.status != "ok" || !(r.value >= 0)) return;
  if (r.metric == binding_metric) {
    const std::string reason = r.reason.str();
    percent = r.value;
    name = reason.substr(0, reason.find(','));
    binds_ = true;
    return;
  }
  const bool is_copy = r.metric == "share_of_copy_roof";
  if (binds_ || is_over_copy_ || (!is_copy && r.metric != "share_of_flops_roof")) return;
  if (r.value > 100) {
    is_over_copy_ = true;
    percent = no_value;
    name.clear();
  } else if (!(percent >= r.value)) {
    percent = r.value;
    name = is_copy ? "copy (of two)" : "flops (of two)";
  }
}

}  // namespace reprise::reports
