// SPDX-License-Identifier: MIT
// Tests the judge of scale's timed work on one rank: a right solver passes it, however few repeats a sample has.
#include "benchmarks/scale/cases.hpp"
#include "verification/tests/support/every_variant.hpp"

using namespace reprise;
using namespace reprise::harness;
using namespace reprise::harness::scale;

TEST_CASE("a right sphere in parts passes the judge of timed work, also after a single step") {
  const stepping fixed{atrium::scheme::euler, .05, 0, 0},
      adaptive{atrium::scheme::bogacki_shampine, 0, .1, .1};
  for (const stepping& how : {fixed, adaptive}) {
    const case_plan plan = plan_sphere("atrium/mpi_cpu", how, precision::single, 2, 1);
    for (const target& on : targets_of("atrium/mpi_cpu", "*", true)) {
      if (on.variant == nullptr) continue;
      for (int repeats : {1, 2, 7}) {
        INFO(repeats << " repeats");
        const auto s = verification::require_case(plan, on, repeats);
        for (const auto& finding : s->judge_timed_work(repeats)) {
          INFO(checkers::describe(finding));
          CHECK(finding.good());
        }
      }
    }
  }
}
