// SPDX-License-Identifier: MIT
// The planner of runs with a budget, with made-up experiments and costs.
#include "benchmarks/harness/budget/plan.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <deque>
#include <fstream>

#include "benchmarks/harness/budget/forecast.hpp"
#include "benchmarks/harness/budget/needs.hpp"
#include "benchmarks/harness/budget/slices.hpp"
#include "benchmarks/harness/budget/worth.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/temporary_folder.hpp"

namespace reprise::budget {
namespace {

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Catch::Matchers::WithinAbs;
using harness::experiment;
using harness::step;
using reports::layout;

device made_up_device(backend kind, const std::string& id, bool on_host) {
  device d;
  d.kind = kind;
  d.id = id;
  d.name = "made up";
  d.on_host = on_host;
  return d;
}

const device processor = made_up_device(backend::cpu, "cpu", true);
const device opencl_on_processor = made_up_device(backend::opencl, "opencl:0", true);
const device opencl_on_gpu = made_up_device(backend::opencl, "opencl:1", false);

// Steps of made-up experiments of a paper "jacobi", with their prices.
struct market {
  std::deque<experiment> experiments;  // steps point at them
  std::deque<step> steps;
  std::vector<offer> offers;

  const experiment& add(const std::string& name, layout::kind shape = layout::kind::table) {
    experiment e;
    e.layout.id = "jacobi/" + name;
    e.layout.shape = shape;
    e.layout.metrics = {"time"};
    experiments.push_back(std::move(e));
    return experiments.back();
  }

  std::size_t sell(const experiment& of, const std::string& variant, const std::string& size, double seconds,
                   const std::string& parameter = "", const std::string& why_not = "",
                   const device& where = processor) {
    harness::case_plan plan;
    plan.variant = "jacobi/" + variant;
    plan.size = size;
    plan.parameter = parameter;
    plan.metric = "time";
    const harness::target on =
        why_not.empty() ? testing::made_up_target(where) : harness::target{nullptr, {}, why_not};
    steps.push_back({&of, plan, on, seconds});
    offers.push_back({&steps.back(), seconds, why_not});
    return offers.size() - 1;
  }
};

std::vector<item> headlines(const market& m, const std::string& quantity) {
  reports::claim c;
  c.id = "first";
  c.headline = 1;
  c.parts = {{"", reports::parse_quantity(quantity, {"made_up.csv", 2})}};
  return headline_items(m.offers, "jacobi", std::vector{c}, "time");
}

item whole(const std::string& name, std::vector<std::size_t> steps, tier rank = tier::first) {
  return {rank, name, std::move(steps), ""};
}

schedule schedule_of(const market& m, std::vector<item> items, double budget, schedule::pricer price = {}) {
  if (!price) price = [&m](std::size_t i) { return m.offers[i].seconds; };
  return schedule(m.offers, std::move(items), budget, std::move(price),
                  [](const device&) { return roof_prices{}; });
}

std::vector<std::size_t> picked(schedule& s) {
  std::vector<std::size_t> all;
  double elapsed = 0;
  while (const auto next = s.next(elapsed)) {
    all.push_back(next->step);
    elapsed += next->seconds;
  }
  return all;
}

}  // namespace

TEST_CASE("a headline needs exactly the cases that its quantity names", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  const auto wanted = m.sell(t, "cpu_a", "8x8", 1, "factor=once");
  m.sell(t, "cpu_a", "16x16", 1, "factor=once");
  m.sell(t, "cpu_a", "8x8", 1, "factor=always");
  const auto other = m.sell(t, "cpu_b", "8x8", 2, "factor=once");
  m.sell(m.add("table2"), "cpu_a", "8x8", 1, "factor=once");
  const auto found = headlines(m,
                               "{cpu_a@8x8,experiment=table1,parameter=factor=once}/"
                               "{cpu_b@8x8,experiment=table1,parameter=factor=once}");
  REQUIRE(found.size() == 1);
  CHECK(found[0].why_not.empty());
  CHECK(found[0].steps == std::vector{wanted, other});
}

TEST_CASE("a number derived from several cases needs all steps of its series and the smaller sizes",
          "[budget]") {
  market m;
  experiment& t = const_cast<experiment&>(m.add("order"));
  t.derive = [](std::span<const reports::row>) { return std::vector<reports::row>(); };
  const auto coarse = m.sell(t, "cpu_a", "8x8", 1, "method=heun;dt=0.1");
  const auto fine = m.sell(t, "cpu_a", "8x8", 1, "method=heun;dt=0.05");
  m.sell(t, "cpu_a", "8x8", 1, "method=euler;dt=0.05");
  const auto large = m.sell(t, "cpu_a", "16x16", 1, "method=heun;dt=0.05");
  m.sell(t, "cpu_a", "32x32", 1, "method=heun;dt=0.05");
  CHECK(headlines(m, "{cpu_a@16x16:order,parameter=method=heun}")[0].steps ==
        std::vector{coarse, fine, large});
}

TEST_CASE("smaller sizes without the one that is asked for serve no derived number", "[budget]") {
  market m;
  experiment& t = const_cast<experiment&>(m.add("order"));
  t.derive = [](std::span<const reports::row>) { return std::vector<reports::row>(); };
  m.sell(t, "cpu_small", "8x8", 1);
  const auto wanted = m.sell(t, "cpu_large", "16x16", 9);
  CHECK(headlines(m, "avg({*@16x16:order})")[0].steps == std::vector{wanted});
}

TEST_CASE("OpenCL on a processor decides a headline only where no GPU does", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  const auto host = m.sell(t, "opencl_a", "8x8", 1, "", "", opencl_on_processor);
  CHECK(headlines(m, "{opencl_a@8x8}")[0].steps == std::vector{host});
  const auto gpu = m.sell(t, "opencl_a", "8x8", 9, "", "", opencl_on_gpu);
  CHECK(headlines(m, "{opencl_a@8x8}")[0].steps == std::vector{gpu});
}

TEST_CASE("any variant serves for a mean over all, but a minimum needs each", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  const auto slow = m.sell(t, "cpu_slow", "8x8", 9);
  const auto fast = m.sell(t, "cpu_fast", "8x8", 1);
  CHECK(headlines(m, "avg({*@8x8})")[0].steps == std::vector{fast});
  CHECK(headlines(m, "min({*@8x8})")[0].steps == std::vector{slow, fast});
}

TEST_CASE("a headline that this machine or preset cannot decide says why", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  m.sell(t, "cpu_a", "8x8", 1);
  m.sell(t, "cuda_a", "8x8", 1, "", "no GPU is here");
  CHECK(headlines(m, "{cpu_a@8x8}/{cuda_a@8x8}")[0].why_not == "cuda_a: no GPU is here");
  CHECK_THAT(headlines(m, "{cpu_a@64x64}")[0].why_not, ContainsSubstring("no case of {cpu_a@64x64}"));
  CHECK(headlines(m, "{cpu_a@8x8,experiment=fig1}").empty());
}

TEST_CASE("headlines come first, then a table of each paper, then the rest in turn", "[budget]") {
  market m;
  const auto& one = m.add("table1");
  const auto& two = m.add("table2");
  m.sell(one, "cpu_a", "8x8", 3);
  m.sell(one, "cpu_a", "16x16", 4);
  m.sell(one, "cpu_a", "32x32", 5);
  m.sell(two, "cpu_b", "8x8", 7);
  m.sell(two, "cpu_b", "16x16", 6);
  std::vector<item> items = slice_items(m.offers);
  items.push_back({tier::headline, "headline dear", {4}, ""});
  items.push_back({tier::headline, "headline cheap", {3, 0}, ""});
  m.offers[4].seconds = 60;
  const auto names = [&](double budget) {
    sort_by_worth(items, m.offers, budget);
    std::vector<std::string> all;
    for (const item& i : items) all.push_back(i.name);
    return all;
  };
  const std::vector<std::string> rest{"table jacobi/table2: 16x16", "table jacobi/table1: 16x16",
                                      "table jacobi/table2: 8x8", "table jacobi/table1: 32x32"};
  std::vector<std::string> large{"headline cheap", "headline dear", "table jacobi/table1: 8x8"};
  std::vector<std::string> small{"headline cheap", "table jacobi/table1: 8x8", "headline dear"};
  for (auto* const order : {&large, &small}) order->insert(order->end(), rest.begin(), rest.end());
  CHECK(names(600) == large);
  CHECK(names(500) == small);  // the dear one takes more than a tenth of it
}

TEST_CASE("a slice of a table is a whole column, and one of a figure whole curves", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  experiment& f = const_cast<experiment&>(m.add("fig1", layout::kind::figure));
  f.layout.x = "width";
  for (const experiment* e : {&t, static_cast<const experiment*>(&f)})
    for (const char* const size : {"8x8", "16x16"})
      for (const char* const variant : {"cpu_a", "cpu_b"}) m.sell(*e, variant, size, 1);
  std::map<std::string, std::vector<std::size_t>> slices;
  for (const item& i : slice_items(m.offers)) slices[i.name] = i.steps;
  CHECK(slices == std::map<std::string, std::vector<std::size_t>>{{"table jacobi/table1: 8x8", {0, 1}},
                                                                  {"table jacobi/table1: 16x16", {2, 3}},
                                                                  {"figure jacobi/fig1", {4, 5, 6, 7}}});
}

TEST_CASE("a figure over many sizes is first measured at its four cheapest points", "[budget]") {
  market m;
  experiment& f = const_cast<experiment&>(m.add("fig1", layout::kind::figure));
  f.layout.x = "width";
  for (const int side : {64, 8, 16, 128, 32, 256})
    m.sell(f, "cpu_a", std::to_string(side) + "x" + std::to_string(side), side);
  std::vector<item> items = slice_items(m.offers);
  sort_by_worth(items, m.offers, 1000);
  REQUIRE(items.size() == 2);
  CHECK(items[0].rank == tier::first);
  CHECK(items[0].steps == std::vector<std::size_t>{0, 1, 2, 4});
  CHECK(items[1].steps == std::vector<std::size_t>{3, 5});
}

TEST_CASE("a budget too small for anything measures nothing and says what each item takes", "[budget]") {
  market m;
  const auto a = m.sell(m.add("table1"), "cpu_a", "8x8", 3);
  schedule s = schedule_of(m, {whole("table jacobi/table1", {a})}, 1);
  CHECK(!s.next(0));
  CHECK(s.decisions()[0].why_not == "takes about 3.0 s, and 1.0 s are left");
  CHECK(s.why_left_out(a) == s.decisions()[0].why_not);
}

TEST_CASE("an item is measured whole or not at all, and a later one may fit", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  for (const double seconds : {4., 4., 3., 2.})
    m.sell(t, "cpu_" + std::to_string(m.steps.size()), "8x8", seconds);
  schedule s = schedule_of(m, {whole("pair", {0, 1}), whole("dear", {2}), whole("cheap", {3})}, 10);
  CHECK(picked(s) == std::vector<std::size_t>{0, 1, 3});
  CHECK(s.decisions()[1].why_not == "takes about 3.0 s, and 2.0 s are left");
}

TEST_CASE("a case that two experiments ask for is paid once", "[budget]") {
  market m;
  m.sell(m.add("table1"), "cpu_a", "8x8", 6);
  m.sell(m.add("fig1"), "cpu_a", "8x8", 6);
  schedule s = schedule_of(m, {whole("table", {0}), whole("figure", {1})}, 8);
  CHECK(picked(s) == std::vector<std::size_t>{0, 1});
  CHECK(s.decisions()[1].seconds == 0);
}

TEST_CASE("a case that costs more than predicted takes later items out of the plan", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  for (const char* const variant : {"cpu_a", "cpu_b", "cpu_c"}) m.sell(t, variant, "8x8", 4);
  schedule s = schedule_of(m, {whole("first", {0}), whole("second", {1}), whole("third", {2})}, 13);
  CHECK(s.next(0)->step == 0);
  CHECK(s.next(8)->step == 1);  // the first took 8 s
  CHECK(!s.next(12));
  CHECK(s.why_left_out(2) == "takes about 4.0 s, and 1.0 s are left");
}

TEST_CASE("an item is broken off where the rest of it would exceed the budget by more than a twentieth",
          "[budget]") {
  market m;
  const auto& t = m.add("table1");
  for (const char* const variant : {"cpu_a", "cpu_b"}) m.sell(t, variant, "8x8", 40);
  schedule s = schedule_of(m, {whole("pair", {0, 1})}, 100);
  CHECK(s.next(0)->step == 0);
  SECTION("within the tolerance it is finished") {
    CHECK(s.next(64.9)->step == 1);
  }
  SECTION("beyond it is not") {
    CHECK(!s.next(65.1));
    CHECK_THAT(s.why_left_out(1), ContainsSubstring("took longer than predicted"));
    CHECK(s.decisions()[0].why_not == s.why_left_out(1));
  }
}

TEST_CASE("a device's roofs are paid by the first item that needs them", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  for (const char* const variant : {"cpu_a", "cpu_b"}) m.sell(t, variant, "8x8", 2);
  const auto roofs = [](const device& d) { return roof_prices{{d.id, 5}}; };
  const auto price = [&](std::size_t i) { return m.offers[i].seconds; };
  const std::vector items{whole("first", {0}), whole("second", {1})};
  schedule s(m.offers, items, 100, price, roofs);
  CHECK_THAT(rehearse(s), WithinAbs(9, 1e-12));
  schedule closed(m.offers, items, 100, price, roofs);
  closed.close_roofs({"opencl:0"});
  CHECK(!closed.next(0));
  CHECK_THAT(closed.decisions()[0].why_not, ContainsSubstring("roofs"));
}

TEST_CASE("predictions follow what has run and how fast this machine is", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  m.sell(t, "cpu_a", "8x8", 0);
  m.sell(t, "cpu_b", "8x8", 0);
  cost_table table;
  table.add(key_of(m.steps[0]), {11.5, 100});
  table.add(key_of(m.steps[1]), {11.5, 100});
  estimator costs(table, harness::preset::quick);
  CHECK(costs.seconds(m.steps[0]) == 11.5);
  costs.set_roof(processor, 50);  // half as fast: 1.5 s of sampling stay
  CHECK_THAT(costs.seconds(m.steps[0]), WithinAbs(21.5, 1e-9));
  costs.learn(m.steps[0], 43);  // twice the prediction
  const double next = costs.seconds(m.steps[1]);
  CHECK(next > 1.7 * 21.5);
  CHECK(next < 2.0 * 21.5);
}

TEST_CASE("the time that is left follows each paper's cases on each class of device", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  for (int i = 0; i < 20; ++i) {
    m.sell(t, "cpu_a", "8x8", 2);
    m.sell(t, "cpu_b", "8x8", 2);
    m.steps.back().plan.variant = "tissue/cpu_b";
  }
  m.sell(t, "cpu_c", "8x8", 0);  // skipped
  const std::vector<step> steps(m.steps.begin(), m.steps.end());
  forecast left(estimator({}, harness::preset::paper), steps);
  CHECK_THAT(left.seconds_left(), WithinAbs(80, 1e-9));
  for (std::size_t i = 0; i < 20; ++i)
    left.finish(steps[i], i % 2 == 0 ? 2 : 12);  // tissue takes six times as long
  const double truth = 10 * 2 + 10 * 12;
  CHECK(left.seconds_left() > .8 * truth);
  CHECK(left.seconds_left() < 1.2 * truth);
  for (std::size_t i = 20; i < 40; ++i) left.finish(steps[i], 1);
  CHECK_THAT(left.seconds_left(), WithinAbs(0, 1e-9));
  left.finish(steps[40], .01);
}

TEST_CASE("a case may take a multiple of its price, but not more than the budget allows", "[budget]") {
  CHECK(longest_seconds(2, 100, 200) == 20);   // a tenth of the budget
  CHECK(longest_seconds(10, 100, 200) == 40);  // four times its price
  CHECK(longest_seconds(10, 20, 200) == 30);   // what is left, and a twentieth of the budget
  CHECK(longest_seconds(.1, -10, 200) == 0);
}

TEST_CASE("a table of costs that cannot be read is refused with its line", "[budget]") {
  const testing::temporary_folder folder;
  const auto file = folder.path() / "costs.csv";
  std::ofstream(file)
      << "class,variant,precision,size,parameter,seconds,flops_roof\ncpu,jacobi/a,single,8x8,,-1,\n";
  CHECK_THROWS_MATCHES(cost_table::read(file), bad_input, MessageMatches(ContainsSubstring("line 2")));
}

TEST_CASE("what a run's cases cost is kept through an interruption", "[budget]") {
  const testing::temporary_folder folder;
  const cost_log log(folder.path());
  log.add({"cpu", "jacobi/a", "single", "8x8", ""}, {1.5, 100});
  log.add({"cpu", "jacobi/b", "single", "8x8", ""}, {2.5, 0});
  CHECK(log.seconds_so_far() == 4);
  CHECK(cost_table::read(folder.path() / reports::costs_name).all().size() == 2);
  std::ofstream(folder.path() / reports::costs_name, std::ios::app)
      << "cpu,jacobi/c,sin";  // killed while writing
  CHECK(log.seconds_so_far() == 4);
}

TEST_CASE("durations are read with their unit, and nonsense is refused", "[budget]") {
  CHECK(parse_duration("90") == 90);
  CHECK(parse_duration("90s") == 90);
  CHECK(parse_duration("5m") == 300);
  CHECK(parse_duration("1.5h") == 5400);
  for (const char* const wrong : {"", "5 m", "5x", "-3m", "0", "nan", "inf", "m"})
    CHECK_THROWS_AS(parse_duration(wrong), bad_input);
  CHECK(duration_text(4.26) == "4.3 s");
  CHECK(duration_text(200) == "3 min 20 s");
  CHECK(duration_text(8640) == "2.4 h");
}

TEST_CASE("a plan replays its cases, on another device of the backend if its own is not here", "[budget]") {
  market m;
  const auto& t = m.add("table1");
  m.sell(t, "cpu_a", "8x8", 1);
  m.sell(t, "cpu_b", "8x8", 1);
  const nlohmann::json on = {"jacobi/table1", "jacobi/cpu_a", "single", "8x8", "", "cpu"};
  auto elsewhere = on;
  elsewhere[5] = "cpu:7";
  const std::vector<step> steps(m.steps.begin(), m.steps.end());
  for (const auto& c : {on, elsewhere}) {
    const nlohmann::json description{{"plan", {{"cases", {c}}}}};
    const auto again = replayed(description, "made_up", steps);
    REQUIRE(again.size() == 1);
    CHECK(again[0].plan.variant == "jacobi/cpu_a");
  }
  CHECK_THROWS_MATCHES(replayed(nlohmann::json::object(), "made_up", steps), bad_input,
                       MessageMatches(ContainsSubstring("holds no plan")));
}

}  // namespace reprise::budget
