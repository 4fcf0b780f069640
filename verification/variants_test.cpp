// SPDX-License-Identifier: MIT
// Every variant of every paper against its reference.
#include <catch2/catch_test_macros.hpp>
#include <set>

#include "benchmarks/harness/experiment.hpp"

using namespace reprise;

TEST_CASE("every variant that can run here solves every problem") {
  std::set<std::string_view> checked;
  for (const manifest_entry& entry : manifest()) {
    const harness::family* const f = harness::find_family(entry.id.substr(0, entry.id.find('/')));
    REQUIRE(f != nullptr);
    for (const harness::target& on : harness::targets_of(entry.id, "*", true)) {
      if (on.what == nullptr) continue;
      checked.insert(entry.id);
      DYNAMIC_SECTION(entry.id << " on " << on.where.id) {
        int solved = 0;
        for (const auto& c : f->verify(*on.what, on.where, {})) {
          INFO(c.what);
          CHECK(c.failure.empty());
          if (!c.unavailable.empty()) continue;
          for (const auto& finding : c.findings) {
            INFO(checkers::describe(finding));
            CHECK(finding.good());
          }
          ++solved;
        }
        CHECK(solved >= 40);
      }
    }
  }
  // The host's and the emulated ones need nothing that a build machine could lack, once they are built.
  for (const auto& v : variants())
    if (v->runs_on == backend::cpu || v->runs_on == backend::emulated) {
      INFO(v->id);
      CHECK(checked.contains(v->id));
    }
}
