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
  if (findings.empty())
    return {"nothing", std::numeric_limits<double>::quiet_NaN(), 0, "nothing was checked"};
  const finding* worst = &findings.front();
  for (const finding& f : findings)
    if (share_of_limit(f) > share_of_limit(*worst)) worst = &f;
  return *worst;
}

std::vector<finding> worst_of_each(const std::vector<finding>& all) {
  std::vector<finding> worst;
  for (const finding& f : all) {
    const auto known = std::ranges::find(worst, f.metric, &finding::metric);
    if (known == worst.end()) {
      worst.push_back(f);
    } else {
      *known = worst_of({*known, f});
    }
  }
  return worst;
}

std::string describe(const finding& f) {
  return fmt::format("{} {:.3g} (limit {:.3g})", f.metric, f.value, f.limit);
}

}  // namespace reprise::checkers
