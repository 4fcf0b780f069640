// SPDX-License-Identifier: MIT
// Formats findings.
#include "verification/checkers/finding.hpp"

#include <fmt/core.h>

namespace reprise::checkers {

std::string describe(const finding& f) {
  return fmt::format("{} {:.3g} (limit {:.3g})", f.metric, f.value, f.limit);
}

}  // namespace reprise::checkers
