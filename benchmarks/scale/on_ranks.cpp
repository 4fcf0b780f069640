// SPDX-License-Identifier: MIT
// Fills in what all plans of cases on several ranks have in common.
#include "benchmarks/scale/on_ranks.hpp"

#include <fmt/core.h>

namespace reprise::harness::scale {

case_plan plan_on_ranks(const std::string& variant, precision arithmetic, const std::string& size,
                        const std::string& parameter, int ranks) {
  case_plan plan;
  plan.variant = variant;
  plan.arithmetic = arithmetic;
  plan.size = size;
  plan.parameter = fmt::format("{};ranks={}", parameter, ranks);
  plan.metric = fmt::format("time_{}_steps", steps_timed);
  plan.repeats = steps_timed;
  plan.note = "rates are one rank's";
  plan.is_on_ranks = true;
  return plan;
}

}  // namespace reprise::harness::scale
