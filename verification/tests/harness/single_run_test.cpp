// SPDX-License-Identifier: MIT
// Cases that are timed by one run.
#include "benchmarks/harness/timing.hpp"

#include <algorithm>

#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/made_up_load.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;
using reports::row;

namespace {

// Counts its runs, of which each takes so long by its clock.
struct run_once_case final : pretended {
  explicit run_once_case(double seconds) : pretended({true, true}), seconds_(seconds) {}
  double run(int) override {
    ++runs;
    return seconds_;
  }
  double seconds_;
  inline static int runs;
};

// The program is stopped during the first runs of the case.
template <int disturbed_runs>
load_counters load_during_first_runs() {
  load_counters now = load_of_nothing();
  now.stops = std::min(run_once_case::runs, disturbed_runs);
  return now;
}

row run_once_beside(load_source load, double seconds, preset level) {
  const made_up_machine machine(load);
  run_once_case::runs = 0;
  case_plan plan = made_up_plan({true, true});
  plan.cold_metric = "";
  plan.runs_once = true;
  plan.make = [seconds](const variant&, const device&) { return std::make_unique<run_once_case>(seconds); };
  return measured(plan, made_up_target(devices_of(backend::cpu).devices.front()), level).rows.front();
}

}  // namespace

TEST_CASE(
    "a short case of one run is made again while something disturbs it, up to three times, and not in "
    "smoke") {
  constexpr double brief = .01, as_long_as_all_samples = 1.5;
  const row again = run_once_beside(load_during_first_runs<2>, brief, preset::quick);
  CHECK(again.status == "ok");
  CHECK_THAT(again.reason.str(),
             ContainsSubstring("a single run; 2 before it left out: the program was stopped"));
  CHECK(run_once_case::runs == 3);
  CHECK(run_once_beside(load_during_first_runs<0>, brief, preset::quick).status == "ok");
  CHECK(run_once_case::runs == 1);
  CHECK(run_once_beside(load_during_first_runs<9>, brief, preset::quick).status == "disturbed");
  CHECK(run_once_case::runs == 3);
  CHECK(run_once_beside(load_during_first_runs<1>, as_long_as_all_samples, preset::quick).status ==
        "disturbed");
  CHECK(run_once_case::runs == 1);
  CHECK(run_once_beside(load_during_first_runs<1>, brief, preset::smoke).status == "disturbed");
  CHECK(run_once_case::runs == 1);
}
