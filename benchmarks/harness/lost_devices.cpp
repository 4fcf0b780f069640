// SPDX-License-Identifier: MIT
// Checks a device after a failure and keeps the first reason for which it was lost.
#include "benchmarks/harness/lost_devices.hpp"

#include <fmt/core.h>

#include "solvers/common/base/device_calls.hpp"

namespace reprise::harness {

void lost_devices::ask(const device& d) {
  if (reasons_.contains(d.id)) return;
  if (const std::string why = why_lost(d); !why.empty())
    reasons_[d.id] = fmt::format(
        "{0} was lost to an earlier case and is not tried again: {1}; once it is well, run what is left with "
        "--device {0} into another folder",
        d.id, why);
}

std::string lost_devices::reason(const device& d) const {
  const auto found = reasons_.find(d.id);
  return found == reasons_.end() ? "" : found->second;
}

}  // namespace reprise::harness
