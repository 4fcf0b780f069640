// SPDX-License-Identifier: MIT
// Makes offers of steps, and subjects.
#include "benchmarks/harness/duel/served_case.hpp"

#include "benchmarks/harness/measure.hpp"
#include "solvers/common/base/device_calls.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::duels {

offered_case offered(const harness::step& s, harness::preset level) {
  const reports::row label = harness::case_row("", s.of->layout.id, s.plan, s.on);
  offered_case c{label, s.on.device.name, s.plan.repeats, s.plan.units_per_repeat, s.on.device.on_host, ""};
  c.metric = s.plan.metric;
  c.unavailable = s.on.variant == nullptr ? s.on.reason : why_not_affordable(s.plan, s.on.device, level);
  if (s.plan.is_on_ranks) c.unavailable = "runs on several ranks: compare whole runs";
  return c;
}

std::unique_ptr<harness::subject> loaded(const harness::step& s) {
  if (s.on.variant == nullptr) throw unavailable(s.on.reason);
  harness::require_memory(s.plan, s.on.device);
  use(s.on.device);
  auto subject = s.plan.make(*s.on.variant, s.on.device);
  subject->load();
  return subject;
}

void require_good(const std::vector<checkers::finding>& findings) {
  if (findings.empty()) throw error("wrong answer: nothing was checked");
  for (const checkers::finding& f : findings)
    if (!f.good()) throw error("wrong answer: " + checkers::describe(f));
}

}  // namespace reprise::duels
