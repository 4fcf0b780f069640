// SPDX-License-Identifier: MIT
// Every variant of every paper against its reference.
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <string_view>

#include "benchmarks/harness/experiment.hpp"

using namespace reprise;

namespace {

// One test for each, so that they run side by side.
const std::set<std::string_view> tested{"jacobi", "curvature", "tissue", "angiogenesis", "atrium"};

void solve_every_problem(std::string_view word, int fewest = 40) {
  const harness::family* const f = harness::find_family(word);
  REQUIRE(f != nullptr);
  std::set<std::string_view> checked;
  for (const manifest_entry& entry : manifest()) {
    if (!entry.id.starts_with(std::string(word) + '/')) continue;
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
        CHECK(solved >= fewest);
      }
    }
  }
  // The host's and the emulated ones need nothing that a build machine could lack, once they are built.
  for (const auto& v : variants())
    if (v->id.starts_with(std::string(word) + '/') &&
        (v->runs_on == backend::cpu || v->runs_on == backend::emulated)) {
      INFO(v->id);
      CHECK(checked.contains(v->id));
    }
}

}  // namespace

TEST_CASE("every jacobi variant that can run here solves every problem") {
  solve_every_problem("jacobi");
}

TEST_CASE("every curvature variant that can run here solves every problem") {
  solve_every_problem("curvature");
}

TEST_CASE("every tissue variant that can run here solves every problem") {
  solve_every_problem("tissue");
}

TEST_CASE("every angiogenesis variant that can run here solves every problem") {
  solve_every_problem("angiogenesis");
}

TEST_CASE("every atrium variant that can run here solves every problem") {
  // One method in one precision is all that the fastest one does, on two small spheres.
  solve_every_problem("atrium", 2);
}

TEST_CASE("no variant is left out of these tests") {
  for (const manifest_entry& entry : manifest()) {
    INFO(entry.id);
    CHECK(tested.contains(entry.id.substr(0, entry.id.find('/'))));
  }
}
