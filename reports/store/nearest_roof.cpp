// SPDX-License-Identifier: MIT
// The binding roof, or of runs without it the larger of two shares.
#include "reports/store/nearest_roof.hpp"

#include <array>
#include <cmath>

namespace reprise::reports {
namespace {

constexpr std::array roofs{"memory",    "shared memory", "multiply-adds",
                           "functions", "launches",      "grid exchange"};

// A remark on a disturbance may stand before the name.
std::string name_in(const std::string& reason) {
  for (const char* const roof : roofs) {
    const std::string told = std::string(roof) + ", ";
    if (reason.starts_with(told) || reason.find("; " + told) != std::string::npos) return roof;
  }
  return reason.substr(0, reason.find(','));
}

// The number and unit behind `lead`.
std::string quantity_behind(const std::string& lead, const std::string& reason) {
  const std::size_t before = reason.find(lead);
  if (before == std::string::npos) return "";
  const std::size_t from = before + lead.size(), unit = reason.find(' ', from);
  if (unit == std::string::npos) return "";
  return reason.substr(from, reason.find_first_of(" ;,", unit + 1) - from);
}

}  // namespace

void nearest_roof::see(const row& r) {
  if (r.status != "ok" || !(r.value >= 0)) return;
  if (r.metric == binding_metric) {
    percent = r.value;
    name = name_in(r.reason.str());
    reached = quantity_behind(name + ", ", r.reason.str());
    binds_ = true;
    return;
  }
  const bool is_copy = r.metric == "share_of_copy_roof";
  if (binds_ || is_over_copy_ || (!is_copy && r.metric != "share_of_flops_roof")) return;
  if (r.value > 100) {
    is_over_copy_ = true;
    percent = no_value;
    name.clear();
    reached.clear();
  } else if (!(percent >= r.value)) {
    percent = r.value;
    name = is_copy ? "copy (of two)" : "flops (of two)";
    reached = quantity_behind("of ", r.reason.str());
  }
}

}  // namespace reprise::reports
