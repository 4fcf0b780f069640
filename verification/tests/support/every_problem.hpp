// SPDX-License-Identifier: MIT
// Tests every variant of a family against its reference.
#pragma once

#include "verification/tests/support/every_variant.hpp"

namespace reprise::verification {

// `fewest_problems` gives the least number of problems a variant must solve, by its id; 40 without it.
inline void solve_every_problem(std::string_view word,
                                int (*fewest_problems)(std::string_view id) = nullptr) {
  const harness::family* const f = harness::find_family(word);
  REQUIRE(f != nullptr);
  std::set<std::string_view> checked;
  for_every_target(word, [&](const harness::target& on, const std::string& name) {
    checked.insert(on.variant->id);
    DYNAMIC_SECTION(name) {
      int solved = 0;
      for (const auto& c : f->verify(*on.variant, on.device, {})) {
        INFO(c.name);
        CHECK(c.failure.empty());
        if (!c.unavailable.empty()) continue;
        for (const auto& finding : c.findings) {
          INFO(checkers::describe(finding));
          CHECK(finding.good());
        }
        ++solved;
      }
      CHECK(solved >= (fewest_problems != nullptr ? fewest_problems(on.variant->id) : 40));
    }
  });
  // Once built, host and emulated variants need no device, so all of them must have been checked.
  for (const auto& v : variants())
    if (v->id.starts_with(std::string(word) + '/') &&
        (v->runs_on == backend::cpu || v->runs_on == backend::emulated)) {
      INFO(v->id);
      CHECK(checked.contains(v->id));
    }
}

}  // namespace reprise::verification
