// SPDX-License-Identifier: MIT
// Cases of which most samples are left out, because something disturbed them.
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/made_up_load.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using namespace reprise::testing;
using Catch::Matchers::ContainsSubstring;

namespace {

// Counts its runs. Two of them fill a window.
struct counted_case final : pretended {
  counted_case() : pretended({true, true}) {}
  double run(int) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    ++runs;
    return .03;
  }
  inline static int runs;
};

using is_stopped_in = bool (*)(int run);
is_stopped_in pattern;

load_counters load_with_some_stops() {
  load_counters now = load_of_nothing();
  for (int run = 0; run < counted_case::runs; ++run)
    if (pattern(run)) ++now.stops;
  return now;
}

// Four of five successive windows contain a stop, wherever the first window begins.
bool in_four_of_five(int run) {
  return run % 5 == 0 || run % 5 == 2;
}

bool in_one_of_five(int run) {
  return run % 10 == 0;
}

constexpr int samples_of_attempt = 20;  // or some more
constexpr int last_of_first_attempt = 24;

bool in_four_of_five_at_first(int run) {
  return run < last_of_first_attempt && in_four_of_five(run);
}

reports::row time_beside(is_stopped_in stops) {
  const made_up_machine machine(load_with_some_stops);
  pattern = stops;
  counted_case::runs = 0;
  case_plan plan = made_up_plan({true, true});
  plan.cold_metric = "";
  plan.make = [](const variant&, const device&) { return std::make_unique<counted_case>(); };
  return measured(plan, made_up_target(devices_of(backend::cpu).devices.front()), preset::paper).rows.front();
}

}  // namespace

TEST_CASE("a case is disturbed if most samples of each attempt are left out, however many are kept") {
  const reports::row mostly = time_beside(in_four_of_five);
  CHECK(mostly.status == "disturbed");
  CHECK_THAT(mostly.reason.str(), ContainsSubstring("samples left out: the program was stopped"));
  CHECK(mostly.samples >= 3);
  CHECK(counted_case::runs > 3 * samples_of_attempt);
  const reports::row seldom = time_beside(in_one_of_five);
  CHECK(seldom.status == "ok");
  CHECK_THAT(seldom.reason.str(), ContainsSubstring("samples left out: the program was stopped"));
}

TEST_CASE("an attempt of which most samples were left out does not count beside a better one") {
  const reports::row rescued = time_beside(in_four_of_five_at_first);
  CHECK(rescued.status == "ok");
  CHECK_THAT(rescued.reason.str(), ContainsSubstring("samples left out: the program was stopped"));
  CHECK(rescued.samples >= samples_of_attempt);
  CHECK(counted_case::runs > 2 * samples_of_attempt);
}
