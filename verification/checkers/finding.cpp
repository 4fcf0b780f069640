// SPDX-License-Identifier: MIT
// Compares and formats findings.
#include "verification/checkers/finding.hpp"

#include <fmt/core.h>

#include <limits>

namespace reprise::checkers {
namespace {

double share_of_limit(const finding& f) {
  if (!f.good()) return std::numeric_limits<double>::infinity();
  return f.limit > 0 ? f.value / f.limit : 0;
}

}  // namespace

finding worst_of(const std::vector<finding>& findings) {
  return *std::ranges::max_element(findings, {}, share_of_limit);
}

std::string describe(const finding& f) {
  return fmt::format("{} {:.3g} (limit {:.3g})", f.metric, f.value, f.limit);
}

}  // namespace reprise::checkers
