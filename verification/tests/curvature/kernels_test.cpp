// SPDX-License-Identifier: MIT
// Tests cases of single kernels in emulation.
#include <set>

#include "verification/tests/support/every_variant.hpp"

using namespace reprise;

TEST_CASE("kernels alone are judged under metrics of their own, and leave the occupancy of their launch") {
  int judged = 0;
  for (const harness::case_plan& plan :
       verification::experiment_of("curvature/table1").plan({harness::preset::smoke, {{16, 16}}, {}})) {
    const harness::target on = harness::targets_of(plan.variant, "emulated", true).front();
    if (on.variant == nullptr) continue;
    INFO(plan.parameter);
    const auto s = verification::require_case(plan, on, 2);
    std::set<std::string> metrics;
    for (const checkers::finding& f : s->verify()) metrics.insert(f.metric);
    for (const checkers::finding& f : s->judge_timed_work(2)) {
      CHECK(f.good());
      CHECK(metrics.insert(f.metric).second);
    }
    // 256 nodes are two blocks, or one of the reduction; the emulated device holds 16384 threads.
    const double occupancy = s->results().front().value;
    CHECK(occupancy > 0);
    CHECK(occupancy < .02);
    ++judged;
  }
  CHECK(judged == 6);
}
