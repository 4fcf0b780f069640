// SPDX-License-Identifier: MIT
// Which roof binds, on a device whose roofs are invented: the one of which the work takes the largest part, and never one
// of which it takes more than all.
#include "benchmarks/harness/shares.hpp"

#include "benchmarks/harness/roofs/roofs.hpp"
#include "benchmarks/harness/roofs/rows.hpp"
#include "reports/store/nearest_roof.hpp"
#include "reports/store/soundness.hpp"
#include "solvers/common/base/launches.hpp"
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/made_up_load.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using Catch::Matchers::StartsWith;
using testing::row_of;

namespace {

struct invented_roofs {
  double copy{1e12}, read{1.2e12}, flops{60e12}, shared{30e12}, functions{4e12}, launches{5e5},
      exchanges{1.25e6};
  std::function<void()> before_flops{}, before_copy{};
};
invented_roofs roofs;

struct invented_probe final : roof_probe {
  double copy_bytes_per_second(std::size_t) override {
    if (roofs.before_copy) roofs.before_copy();
    return roofs.copy;
  }
  double read_bytes_per_second(std::size_t) override { return roofs.read; }
  double flops_per_second(precision) override {
    if (roofs.before_flops) roofs.before_flops();
    return roofs.flops;
  }
  double shared_bytes_per_second() override { return roofs.shared; }
  double functions_per_second(precision) override { return roofs.functions; }
  double launches_per_second() override { return roofs.launches; }
  double exchanges_per_second() override { return roofs.exchanges; }
};

// Roofs are remembered by the device's id, so each test has a device of its own.
device new_device() {
  static int number = 0;
  static const roof_registration invented(
      backend::emulated,
      [](const device&) -> std::unique_ptr<roof_probe> { return std::make_unique<invented_probe>(); });
  device d;
  d.kind = backend::emulated;
  d.id = "invented:" + std::to_string(number++);
  d.name = d.pci = d.id;
  return d;
}

struct named_demand {
  const char* name;
  double demand::*asked;
  double of_all;  // what takes a second
  const char* value;
};
const std::vector<named_demand> parts{{"memory", &demand::bytes, 1.2e12, "1200.0 GB/s"},
                                      {"shared memory", &demand::bytes_shared, 30e12, "30 TB/s"},
                                      {"multiply-adds", &demand::flops, 60e12, "60 TFLOP/s"},
                                      {"functions", &demand::functions, 4e12, "4 Top/s"},
                                      {"launches", &demand::launches, 5e5, "2.00 us each"},
                                      {"grid exchange", &demand::exchanges, 1.25e6, "0.80 us each"}};

// Work of a second that takes these parts of each roof.
demand work_of(const std::map<std::string, double>& share) {
  demand d{.seconds = 1, .footprint_bytes = 4096};
  for (const named_demand& p : parts)
    if (const auto found = share.find(p.name); found != share.end()) d.*p.asked = found->second * p.of_all;
  return d;
}

std::vector<reports::row> rows_of(const std::map<std::string, double>& share, preset level = preset::quick) {
  return share_rows({}, work_of(share), new_device(), level).rows;
}

void check_none_above_all(const std::vector<reports::row>& rows) {
  CHECK(rows.size() == 3);
  for (const reports::row& r : rows) {
    INFO(r.metric.str() << ": " << r.reason.str());
    CHECK((r.status == "skipped" ? std::isnan(r.value) : r.value >= 0 && r.value <= 100));
    CHECK_FALSE(r.reason.str().empty());
  }
}

}  // namespace

TEST_CASE(
    "the roof that binds is the one of which work takes the largest part, and is named with its value") {
  roofs = {};
  for (const named_demand& p : parts) {
    INFO(p.name);
    std::map<std::string, double> share;
    for (const named_demand& other : parts) share[other.name] = .1;
    share[p.name] = .8;
    const auto rows = rows_of(share);
    check_none_above_all(rows);
    const auto& binding = row_of(rows, "share_of_binding_roof");
    CHECK(std::abs(binding.value - 80) < 1e-9);
    CHECK_THAT(binding.reason.str(), StartsWith(std::string(p.name) + ", " + p.value + "; "));
    for (const named_demand& other : parts)
      if (&other != &p)
        CHECK_THAT(binding.reason.str(), ContainsSubstring(std::string(other.name) + " 10 %"));
    reports::nearest_roof nearest;
    nearest.see(binding);
    CHECK(nearest.name == p.name);
  }
}

TEST_CASE("counts that are ten times too high are an error of ceilings, and no number of any roof") {
  roofs = {};
  for (const named_demand& p : parts) {
    INFO(p.name);
    std::map<std::string, double> share;
    for (const named_demand& other : parts) share[other.name] = .2;
    share[p.name] = 2;
    const std::string name = p.name;
    if (name == "memory" || name == "shared memory" || name == "multiply-adds") {
      CHECK_THROWS_WITH(rows_of(share), ContainsSubstring("counted too high"));
      const auto gate = rows_of(share, preset::smoke);
      check_none_above_all(gate);
      CHECK_THAT(row_of(gate, "share_of_binding_roof").reason.str(), StartsWith("unusable in this preset: "));
    } else {
      const auto rows = rows_of(share);
      check_none_above_all(rows);
      const auto& binding = row_of(rows, "share_of_binding_roof");
      CHECK(std::abs(binding.value - 20) < 1e-9);
      CHECK_THAT(binding.reason.str(), ContainsSubstring(name + " is no roof here: 200 % of it was reached"));
    }
  }
}

TEST_CASE("copying is no roof of work that reads more than it copies") {
  roofs = {};
  const auto rows = rows_of({{"memory", .9}});
  check_none_above_all(rows);
  const auto& copy = row_of(rows, "share_of_copy_roof");
  CHECK(copy.status == "skipped");
  CHECK(copy.reason == "copying is no roof here: 108 % of it was reached; reading reaches 1200.0 GB/s");
  CHECK(std::abs(row_of(rows, "share_of_binding_roof").value - 90) < 1e-9);
  CHECK(std::abs(row_of(rows_of({{"memory", .5}}), "share_of_copy_roof").value - 60) < 1e-9);
}

TEST_CASE("up to the error of measurement above a ceiling is at it") {
  roofs = {};
  const auto rows = rows_of({{"multiply-adds", 1.02}});
  check_none_above_all(rows);
  for (const char* const metric : {"share_of_flops_roof", "share_of_binding_roof"}) {
    CHECK(row_of(rows, metric).value == 100);
    CHECK_THAT(row_of(rows, metric).reason.str(), ContainsSubstring("102.0 % by the clock"));
  }
  CHECK_THROWS_AS(rows_of({{"multiply-adds", 1.04}}), error);
}

TEST_CASE("a ceiling that was disturbed is measured again before work is called impossible") {
  roofs = {};
  roofs.flops = 30e12;
  int asked = 0;
  roofs.before_flops = [&] {
    roofs.flops = ++asked > 8 ? 60e12 : 30e12;
  };  // one measurement has eight samples
  CHECK(std::abs(row_of(rows_of({{"multiply-adds", .9}}), "share_of_binding_roof").value - 90) < 1e-9);
  CHECK(asked > 8);
  roofs = {};
}

TEST_CASE("what a device has no probe for does not bind, and work without counts has no roof") {
  roofs = {};
  roofs.shared = roofs.functions = roofs.launches = roofs.exchanges = 0;
  const auto rows = rows_of(
      {{"memory", .1}, {"shared memory", 5}, {"functions", 5}, {"launches", 5}, {"grid exchange", 5}});
  check_none_above_all(rows);
  CHECK(row_of(rows, "share_of_binding_roof").reason == "memory, 1200.0 GB/s");
  const auto none = rows_of({});
  check_none_above_all(none);
  CHECK_THAT(row_of(none, "share_of_binding_roof").reason.str(), StartsWith("no roof binds"));
  roofs = {};
}

namespace {

// Starts as many kernels as it says in each repeat, and makes each repeat twice for its mean.
struct launching final : testing::pretended {
  using pretended::pretended;
  static constexpr int launches = 300;
  double run(int repeats) override {
    for (int n = 0; n < 2 * repeats * launches; ++n) count_launch();
    return 1e-3 * repeats;
  }
  int runs_of_repeat() const override { return 2; }
};

}  // namespace

TEST_CASE("work that exceeds a roof which was always disturbed is neither wrong nor believed", "[standard]") {
  roofs = {};
  const testing::busy_machine busy;
  device here = new_device();
  here.on_host = true;  // the system's counters tell of disturbances
  const auto asked = work_of({{"multiply-adds", 2.}});
  const roof_shares found = share_rows({}, asked, here, preset::quick);
  check_none_above_all(found.rows);
  CHECK(found.disturbed == "the program was stopped and continued");
  for (const char* metric : {"share_of_flops_roof", "share_of_binding_roof"}) {
    INFO(metric);
    CHECK(row_of(found.rows, metric).status == "skipped");
    CHECK_THAT(row_of(found.rows, metric).reason.str(),
               StartsWith("faster than a roof that was disturbed: "));
  }
  // Whoever asks that disturbances are only noted wants impossible rates to be failures.
  setenv("REPRISE_DISTURBANCE", "noted", 1);
  CHECK_THROWS_WITH(share_rows({}, asked, here, preset::quick), ContainsSubstring("counted too high"));
  // On a device that nothing disturbed the same is impossible.
  unsetenv("REPRISE_DISTURBANCE");
  CHECK_THROWS_WITH(rows_of({{"multiply-adds", 2.}}), ContainsSubstring("counted too high"));
}

TEST_CASE("caches of a host read and write at once, so that only the sum of both cannot be exceeded",
          "[standard]") {
  roofs = {};
  const auto rows_on = [](bool is_host, double share) {
    device d = new_device();
    d.on_host = is_host;
    return share_rows({}, work_of({{"memory", share}, {"multiply-adds", .2}}), d, preset::quick).rows;
  };
  const auto found = rows_on(true, 1.3);
  check_none_above_all(found);
  CHECK_THAT(row_of(found, "share_of_binding_roof").reason.str(), StartsWith("multiply-adds"));
  CHECK_THAT(row_of(found, "share_of_binding_roof").reason.str(),
             ContainsSubstring("memory is no roof here: 130 % of it was reached"));
  CHECK_THROWS_WITH(rows_on(true, 1.6), ContainsSubstring("counted too high"));
  CHECK_THROWS_WITH(rows_on(false, 1.3), ContainsSubstring("counted too high"));
}

TEST_CASE("the times of a case that exceeds a disturbed roof are marked as disturbed", "[standard]") {
  static bool is_stopped;
  is_stopped = false;
  roofs = {};
  const testing::busy_machine busy;
  replace_load_source([] {
    load_counters now;
    now.wall = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    if (is_stopped) now.stops = testing::load_with_stops().stops;
    return now;
  });
  const auto rows = [] {
    device here = new_device();
    here.on_host = true;
    case_plan plan = testing::made_up_plan({true, true}, 1e15);
    plan.cold_metric = "";
    return testing::measured(plan, testing::made_up_target(here), preset::quick).rows;
  };
  CHECK(rows().front().status == "failed");
  roofs.before_copy = [] { is_stopped = true; };
  const auto disturbed = rows();
  CHECK(disturbed.front().status == "disturbed");
  CHECK_THAT(disturbed.front().reason.str(),
             StartsWith("disturbed: faster than a roof, which was measured while the program was stopped"));
}

TEST_CASE("launches are counted while they are made, for one run of each repeat") {
  roofs = {};
  case_plan plan = testing::made_up_plan({true, true});
  plan.make = [](const variant&, const device&) {
    return std::make_unique<launching>(std::vector<bool>{true, true});
  };
  const auto rows = testing::measured(plan, testing::made_up_target(new_device())).rows;
  REQUIRE(rows.front().status == "ok");
  const auto& binding = row_of(rows, "share_of_binding_roof");
  CHECK(binding.reason == "launches, 2.00 us each");
  CHECK(std::abs(binding.value - 100. * launching::launches * 2e-6 / 1e-3) < 1e-6);
}

TEST_CASE("roofs of a GPU's own parts are sound rows with units of their own") {
  roofs = {};
  const device d = new_device();
  const recorded_roofs found = record_roofs(d, preset::smoke, roof_label("run", d), "");
  CHECK_FALSE(found.has_failures);
  for (const auto& [metric, value, unit] :
       std::initializer_list<std::tuple<const char*, double, const char*>>{{"shared_roof", 30e3, "GB/s"},
                                                                           {"functions_roof", 4e3, "Gop/s"},
                                                                           {"launch_roof", 2, "us"},
                                                                           {"exchange_roof", .8, "us"}}) {
    INFO(metric);
    const auto& r = row_of(found.rows, metric);
    CHECK(std::abs(r.value - value) < 1e-6 * value);
    CHECK(r.unit == unit);
    CHECK(r.samples == 7);
  }
  for (const reports::row& r : found.rows) CHECK(reports::flaw_of(r) == "");
  CHECK(std::ranges::count(found.rows, "functions_roof", &reports::row::metric) == 2);
  CHECK_THAT(found.text, ContainsSubstring("launch 2 us, exchange 0.8 us"));
}

TEST_CASE(
    "runs from before the binding roof have the larger of two shares, marked, and none that was above all") {
  const auto share = [](const char* metric, double value) {
    reports::row r = testing::measured_row("jacobi/a", "8x8", "", metric, value);
    return r;
  };
  const auto seen = [](const std::vector<reports::row>& rows) {
    reports::nearest_roof nearest;
    for (const reports::row& r : rows) nearest.see(r);
    return nearest;
  };
  CHECK(seen({share("share_of_copy_roof", 40), share("share_of_flops_roof", 10)}).name == "copy (of two)");
  CHECK(seen({share("share_of_copy_roof", 4), share("share_of_flops_roof", 10)}).name == "flops (of two)");
  CHECK(seen({share("share_of_copy_roof", 4), share("share_of_flops_roof", 10)}).percent == 10);
  CHECK(std::isnan(seen({share("share_of_copy_roof", 101), share("share_of_flops_roof", 10)}).percent));
  CHECK(std::isnan(seen({share("share_of_flops_roof", 10), share("share_of_copy_roof", 101)}).percent));
  reports::row binding = share("share_of_binding_roof", 70);
  binding.reason = "shared memory, 30 TB/s; memory 2 %";
  for (const auto& rows :
       {std::vector{share("share_of_copy_roof", 101), binding}, {binding, share("share_of_copy_roof", 90)}}) {
    CHECK(seen(rows).percent == 70);
    CHECK(seen(rows).name == "shared memory");
  }
  binding.reason = "disturbed: its threads waited for 9 %, 3 times; " + binding.reason.str();
  CHECK(seen({binding}).name == "shared memory");
}
