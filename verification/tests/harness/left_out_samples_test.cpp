// SPDX-License-Identifier: MIT
// Cases of which most samples are left out, because something disturbed them.
#include <algorithm>

#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/made_up_load.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

// Counts its runs. Three or four of them fill a window.
struct counted_case final : pretended {
  counted_case() : pretended({true, true}) {}
  double run(int) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ++runs;
    return .02;
  }
  inline static int runs;
};

// The program is stopped in so many runs of twenty, the sixth and those after it, until a run.
int stopped_in_twenty, last_stopped_run;

load_counters load_with_some_stops() {
  load_counters now = load_of_nothing();
  for (int run = 0; run < std::min(counted_case::runs, last_stopped_run); ++run)
    if ((run + 15) % 20 < stopped_in_twenty) ++now.stops;
  return now;
}

reports::row time_beside(int in_twenty, int last_run) {
  const made_up_machine machine(load_with_some_stops);
  stopped_in_twenty = in_twenty;
  last_stopped_run = last_run;
  counted_case::runs = 0;
  case_plan plan = made_up_plan({true, true});
  plan.cold_metric = "";
  plan.make = [](const variant&, const device&) { return std::make_unique<counted_case>(); };
  return measured(plan, made_up_target(devices_of(backend::cpu).devices.front()), preset::quick).rows.front();
}

constexpr int never_ends = 1000, last_of_first_attempt = 13;

}  // namespace

TEST_CASE("a case is disturbed if most samples of all attempts are left out, however many are kept") {
  const reports::row mostly = time_beside(13, never_ends);
  CHECK(mostly.status == "disturbed");
  CHECK_THAT(mostly.reason.str(), ContainsSubstring("samples left out: the program was stopped"));
  CHECK(mostly.samples >= 3);
  const reports::row seldom = time_beside(3, never_ends);
  CHECK(seldom.status == "ok");
  CHECK_THAT(seldom.reason.str(), ContainsSubstring("samples left out: the program was stopped"));
}

TEST_CASE(
    "a case of which most samples were left out is sampled again, and sound if most of all are kept then") {
  const reports::row rescued = time_beside(13, last_of_first_attempt);
  CHECK(rescued.status == "ok");
  CHECK_THAT(rescued.reason.str(), ContainsSubstring("samples left out: the program was stopped"));
  CHECK(counted_case::runs > last_of_first_attempt + 10);
}
