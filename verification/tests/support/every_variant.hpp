// SPDX-License-Identifier: MIT
// Runs tests on all variants of a paper, each on every device that can run it
// here, including the emulated one.
#pragma once

#include "benchmarks/harness/experiment.hpp"
#include "verification/tests/support/tests.hpp"

namespace reprise::verification {

template <class Solver>
std::unique_ptr<Solver> made(const harness::target& on) {
  return dynamic_cast<const variant_of<Solver>&>(*on.variant).make(on.device);
}

template <class Solver>
std::unique_ptr<Solver> on_host(const std::string& id) {
  return made<Solver>(harness::targets_of(id, "cpu", false).front());
}

inline const harness::experiment& experiment_of(const std::string& id) {
  const auto& all = harness::find_family(reports::family_of(id))->experiments;
  const auto found = std::ranges::find(all, id, [](const auto& e) { return e.layout.id; });
  REQUIRE(found != all.end());
  return *found;
}

// Makes the case's subject on a device and checks it; the run takes more than no time.
inline std::unique_ptr<harness::subject> require_case(const harness::case_plan& plan,
                                                      const harness::target& on, int repeats) {
  INFO(plan.variant << " " << plan.parameter << " on " << on.device.id);
  auto s = plan.make(*on.variant, on.device);
  s->load();
  CHECK(checkers::all_good(s->verify()));
  CHECK(s->run(repeats) > 0);
  return s;
}

// Calls test(target, "id on device").
template <class Test>
void for_every_target(std::string_view word, Test test) {
  for (const manifest_entry& entry : manifest()) {
    if (reports::family_of(entry.id) != word) continue;
    for (const harness::target& on : harness::targets_of(entry.id, "*", true)) {
      const std::string name = std::string(entry.id) + " on " + on.device.id;
      INFO(name);
      if (on.variant != nullptr) test(on, name);
    }
  }
}

// Calls test(solver) for the variants with this interface.
template <class Solver, class Test>
void for_every_variant(std::string_view word, Test test) {
  int tested = 0;
  for_every_target(word, [&](const harness::target& on, const std::string&) {
    if (dynamic_cast<const variant_of<Solver>*>(on.variant) == nullptr) return;
    test(*made<Solver>(on));
    ++tested;
  });
  CHECK(tested >= 2);
}

// Calls test(solver, target) for the variants with this interface, each in a section of its own.
template <class Solver, class Test>
void in_sections(std::string_view word, Test test) {
  for_every_target(word, [&](const harness::target& on, const std::string& name) {
    if (dynamic_cast<const variant_of<Solver>*>(on.variant) == nullptr) return;
    DYNAMIC_SECTION(name) {
      test(*made<Solver>(on), on);
    }
  });
}

}  // namespace reprise::verification
