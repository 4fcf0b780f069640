// SPDX-License-Identifier: MIT
// Tests that a time is compared with those of earlier runs, and with those of the same work only.
#include "benchmarks/harness/earlier_times.hpp"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "benchmarks/harness/steps.hpp"
#include "benchmarks/harness/timing.hpp"
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/made_up_load.hpp"
#include "verification/tests/support/temporary_folder.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;

namespace {

target on_cpu() {
  return testing::made_up_target(devices_of(backend::cpu).devices.front());
}

// Counters are read before and after the first run, and before and after each attempt at samples.
int readings;

load_counters counted_reading() {
  ++readings;
  load_counters now = testing::load_of_nothing();
  now.wall += 1e6;  // in the future, so that no attempt is long enough for several windows
  return now;
}

// Says that a repeat took .2 ms, and twice as long during the first attempts.
struct told_times : testing::pretended {
  explicit told_times(int slow_attempts)
      : pretended({true, true}), last_slow_reading_(slow_attempts == 0 ? 0 : 1 + 2 * slow_attempts) {}
  double run(int repeats) override { return repeats * (readings <= last_slow_reading_ ? 4e-4 : 2e-4); }
  int last_slow_reading_;
};

case_plan plan_of(const std::string& parameter, int slow_attempts = 0) {
  case_plan plan = testing::made_up_plan({});
  plan.parameter = parameter;
  plan.cold_metric.clear();
  plan.is_on_ranks = true;  // as if no thread of this process worked, whose counters are read more often
  plan.make = [slow_attempts](const variant&, const device&) {
    return std::make_unique<told_times>(slow_attempts);
  };
  return plan;
}

std::string work_of(const case_plan& plan, const device& on = on_cpu().device) {
  return work_of_case(engine_name(case_row("run", "made/up", plan, {nullptr, on, ""})), plan, on);
}

reports::row time_of(const case_plan& plan, preset level) {
  const testing::made_up_machine nothing_else(counted_reading);
  readings = 0;
  sampler engine({});
  return measure(plan, on_cpu(), level, engine, case_row("run", "made/up", plan, on_cpu())).rows.front();
}

}  // namespace

TEST_CASE("a time is too long from a quarter above the shortest one on") {
  shortest_times known({}, "");
  CHECK(slower_than_before(known, "work", 4).empty());
  known.lower("work", 4);
  CHECK(slower_than_before(known, "work", 5).empty());
  CHECK_THAT(slower_than_before(known, "work", 5.2), ContainsSubstring("1.30 times as long"));
  CHECK(slower_than_before(known, "other work", 9).empty());
  known.lower("work", 2);
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
  const case_plan equal = plan_of("equal");
  case_times_here().lower(work_of(equal), 1.9e-4);
  CHECK(time_of(equal, preset::quick).status == "ok");
}

TEST_CASE("only times of right answers are known to later runs") {
  const case_plan right = plan_of("right");
  CHECK(time_of(right, preset::quick).status == "ok");
  CHECK_THAT(case_times_here().shortest(work_of(right)), WithinRel(2e-4, 1e-9));
  case_plan wrong = plan_of("wrong");
  wrong.make = testing::made_up_plan({true, false}).make;
  CHECK(time_of(wrong, preset::quick).status == "failed");
  CHECK(std::isinf(case_times_here().shortest(work_of(wrong))));
}

TEST_CASE("a slow attempt is left out where another one is not slow") {
  const case_plan once_slow = plan_of("once slow", 1);
  case_times_here().lower(work_of(once_slow), 2e-4);
  const reports::row row = time_of(once_slow, preset::quick);
  CHECK(row.status == "ok");
  CHECK_THAT(row.reason.str(), ContainsSubstring("samples left out: this program took"));
  CHECK_THAT(row.value, WithinRel(2e-3, 1e-9));
  const case_plan always_slow = plan_of("always slow", 3);
  case_times_here().lower(work_of(always_slow), 2e-4);
  CHECK(time_of(always_slow, preset::quick).status == "disturbed");
}

TEST_CASE("files of programs that have not run for a month are removed, and no others") {
  namespace fs = std::filesystem;
  keep_case_times();
  const fs::path folder = file_of_this_machine("").parent_path();
  const auto aged = [&](const fs::path& file) {
    testing::put(file, "");
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(24 * 40));
    return file;
  };
  const fs::path old = aged(file_of_this_machine("case_times_0123456789ab"));
  const fs::path users = aged(folder / "case_times_of_my_thesis.txt");
  keep_case_times();
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(users));
  fs::remove(users);
}
