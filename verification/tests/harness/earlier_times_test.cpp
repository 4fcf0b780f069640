// SPDX-License-Identifier: MIT
// Tests that a time is compared with those of earlier runs, and with those of the same work only.
#include "benchmarks/harness/earlier_times.hpp"

#include <cstdlib>

#include "benchmarks/harness/steps.hpp"
#include "benchmarks/harness/timing.hpp"
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/made_up_load.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;

namespace {

target on_cpu() {
  return testing::made_up_target(devices_of(backend::cpu).devices.front());
}

case_plan plan_of(const std::string& parameter) {
  case_plan plan = testing::made_up_plan({true, true});
  plan.parameter = parameter;
  return plan;
}

std::string work_of(const case_plan& plan, const device& on = on_cpu().device) {
  return work_of_case(engine_name(case_row("run", "made/up", plan, {nullptr, on, ""})), plan, on);
}

// Its repeats sleep for .2 ms.
reports::row time_of(const case_plan& plan, preset level) {
  const testing::quiet_machine nothing_else;
  sampler engine({});
  return measure(plan, on_cpu(), level, engine, case_row("run", "made/up", plan, on_cpu())).rows.front();
}

}  // namespace

TEST_CASE("a time is too long from a quarter above the shortest one on") {
  shortest_times known({}, "");
  CHECK(slower_than_before(known, "work", 4).empty());
  CHECK(slower_than_before(known, "work", 5).empty());
  CHECK_THAT(slower_than_before(known, "work", 5.2), ContainsSubstring("1.30 times as long"));
  CHECK(slower_than_before(known, "other work", 9).empty());
  CHECK(slower_than_before(known, "work", 2).empty());
  CHECK_THAT(slower_than_before(known, "work", 4), ContainsSubstring("2.00 times"));
}

TEST_CASE("times are alike with the same parameter, settings, device and environment") {
  const case_plan plan = plan_of("n=1");
  CHECK(work_of(plan) == work_of(plan_of("n=1")));
  CHECK(work_of(plan) != work_of(plan_of("n=2")));
  case_plan set = plan;
  set.settings = "dt=0.1";
  CHECK(work_of(plan) != work_of(set));
  device other = on_cpu().device;
  other.name += " of another kind";
  CHECK(work_of(plan) != work_of(plan, other));
  const std::string before = work_of(plan);
  setenv("REPRISE_OPENCL_SHAPE", "8x8", 1);
  CHECK(work_of(plan) != before);
  unsetenv("REPRISE_OPENCL_SHAPE");
  CHECK(work_of(plan) == before);
}

TEST_CASE("planned cases know the settings of their request") {
  run_request request;
  request.plan = {preset::smoke, {}, {{"dt", .1}}};
  request.device_glob = "cpu";
  for (const step& s : plan_steps(selected({"angiogenesis/table6"}), request))
    CHECK(s.plan.settings == "dt=0.1");
}

TEST_CASE("a case that takes longer than in an earlier run is disturbed, and not in smoke") {
  const case_plan slowed = plan_of("slowed");
  case_times_here().lower(work_of(slowed), 1e-4);
  const reports::row row = time_of(slowed, preset::quick);
  CHECK(row.status == "disturbed");
  CHECK_THAT(row.reason.str(), ContainsSubstring("as long as it did before on this machine"));
  CHECK(time_of(slowed, preset::smoke).status == "ok");
  CHECK(time_of(plan_of("new"), preset::quick).status == "ok");
  const case_plan equal = plan_of("equal");
  case_times_here().lower(work_of(equal), 1.9e-4);
  CHECK(time_of(equal, preset::quick).status == "ok");
}
