// SPDX-License-Identifier: MIT
// Every variant of every paper against its reference.
#include <catch2/catch_test_macros.hpp>
#include <set>
#include <string>
#include <string_view>

#include "verification/every_variant.hpp"

using namespace reprise;

namespace {

// One test for each, so that they run side by side.
const std::set<std::string_view> tested{"jacobi", "curvature", "tissue", "angiogenesis", "atrium"};

// One method in one precision on two spheres is all that the sphere on chip does; a black box has one method.
int fewest_problems(std::string_view id) {
  if (id.starts_with("atrium/cvode_")) return 3;
  return id == "atrium/cuda_tuned" ? 2 : 40;
}

void solve_every_problem(std::string_view word) {
  const harness::family* const f = harness::find_family(word);
  REQUIRE(f != nullptr);
  std::set<std::string_view> checked;
  verification::for_every_target(word, [&](const harness::target& on, const std::string& name) {
    checked.insert(on.what->id);
    DYNAMIC_SECTION(name) {
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
      CHECK(solved >= fewest_problems(on.what->id));
    }
  });
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
  solve_every_problem("atrium");
}

TEST_CASE("no variant is left out of these tests") {
  for (const manifest_entry& entry : manifest()) {
    INFO(entry.id);
    CHECK(tested.contains(entry.id.substr(0, entry.id.find('/'))));
  }
}
