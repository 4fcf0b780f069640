// SPDX-License-Identifier: MIT
// Runs tests on all variants of a paper, each on every device that can run it
// here, including the emulated one.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "benchmarks/harness/experiment.hpp"

namespace reprise::verification {

template <class Solver>
std::unique_ptr<Solver> made(const harness::target& on) {
  return dynamic_cast<const variant_of<Solver>&>(*on.variant).make(on.device);
}

template <class Solver>
std::unique_ptr<Solver> on_host(const std::string& id) {
  return made<Solver>(harness::targets_of(id, "cpu", false).front());
}

// Calls test(target, "id on device").
template <class Test>
void for_every_target(std::string_view word, Test test) {
  for (const manifest_entry& entry : manifest()) {
    if (reports::family_of(entry.id) != word) continue;
    for (const harness::target& on : harness::targets_of(entry.id, "*", true))
      if (on.variant != nullptr) test(on, std::string(entry.id) + " on " + on.device.id);
  }
}

// Calls test(solver, "id on device") for the variants with this interface.
template <class Solver, class Test>
void for_every_variant(std::string_view word, Test test) {
  for_every_target(word, [&](const harness::target& on, const std::string& name) {
    if (dynamic_cast<const variant_of<Solver>*>(on.variant) != nullptr) test(*made<Solver>(on), name);
  });
}

}  // namespace reprise::verification
