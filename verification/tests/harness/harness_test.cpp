// SPDX-License-Identifier: MIT
// Tests the harness on subjects with invented answers and speeds.
#include <nlohmann/json.hpp>
#include <sstream>

#include "benchmarks/harness/device_sensors.hpp"
#include "benchmarks/harness/problem_rows.hpp"
#include "benchmarks/harness/roofs/roofs.hpp"
#include "benchmarks/harness/runner.hpp"
#include "benchmarks/harness/verify.hpp"
#include "reports/store/run.hpp"
#include "reports/store/run_folder.hpp"
#include "verification/tests/support/made_up_cache.hpp"
#include "verification/tests/support/made_up_case.hpp"
#include "verification/tests/support/made_up_load.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness;
using testing::made_up_plan;
using testing::measured;
using testing::row_of;

namespace {

target on_cpu() {
  return testing::made_up_target(devices_of(backend::cpu).devices.front());
}

run_request smoke_request(const std::string& experiment, const temporary_folder& folder) {
  run_request request;
  request.experiments = {experiment};
  request.plan = {preset::smoke, {{37, 23}}};
  request.device_glob = "cpu";
  request.out = folder / "run";
  return request;
}

}  // namespace

TEST_CASE("quartiles are interpolated between order statistics") {
  const summary s = summarize({4, 1, 3, 2});
  CHECK(s.median == 2.5);
  CHECK(s.q1 == 1.75);
  CHECK(s.q3 == 3.25);
  CHECK(s.samples == 4);
  CHECK(summarize({7}).q1 == 7);
}

TEST_CASE("sampling stops when the spread is small, the budget is spent or the samples are many") {
  const stopping_rule rule{
      .budget_seconds = 1, .min_samples = 4, .max_samples = 8, .target_relative_iqr = .02};
  CHECK_FALSE(rule.is_finished({1, 1, 1}, .1));
  CHECK(rule.is_finished({1, 1, 1, 1}, .1));
  CHECK_FALSE(rule.is_finished({1, 2, 3, 4}, .1));
  CHECK(rule.is_finished({1, 2, 3, 4}, 1.1));
  CHECK_FALSE(rule.is_finished({1, 2}, 99));
  CHECK(rule.is_finished({1, 2, 3, 4, 5, 6, 7, 8}, .1));
}

TEST_CASE("every sample that the engine takes is kept, and what is thrown comes through") {
  sampler engine({});
  int calls = 0;
  const auto samples = engine.sample("counted", {.budget_seconds = .01, .min_samples = 3}, [&] {
    ++calls;
    return 1e-3;
  });
  CHECK(static_cast<int>(samples.size()) == calls);
  CHECK(calls >= 3);
  CHECK_THROWS_AS(engine.sample("broken", {}, []() -> double { throw error("broken"); }), error);
}

TEST_CASE("a sample that says a share of what it takes does not fill the budget many times over") {
  sampler engine({});
  const stopping_rule rule{.budget_seconds = .2, .max_samples = 50, .target_relative_iqr = 0};
  double varied = 1e-6;
  const auto samples = engine.sample("short", rule, [&] { return varied *= 1.01; });
  CHECK(samples.size() == 50);
}

TEST_CASE("Google Benchmark's flags reach it and unknown ones are refused") {
  for (const char* const flag : {"nonsense=1", "list_tests=true", "format=yaml"})
    CHECK_THROWS_AS(sampler({std::string("--benchmark_") + flag}), bad_input);
  const temporary_folder folder;
  const auto file = folder / "out.json";
  {
    sampler engine({"--benchmark_filter=wanted", "--benchmark_out=" + file.string()});
    CHECK_FALSE(engine.accepts("other"));
    CHECK_FALSE(engine.sample("wanted", {.budget_seconds = .01}, [] { return 1e-3; }).empty());
  }
  const auto document = nlohmann::json::parse(testing::text_in(file));
  REQUIRE_FALSE(document["benchmarks"].empty());
  CHECK_THAT(document["benchmarks"][0]["name"].get<std::string>(), ContainsSubstring("wanted"));
}

TEST_CASE("a right answer is timed, scaled to the repeats it stands for and kept with its samples") {
  const testing::made_up_cache one_that_can_be_flushed("16M");
  const auto m = measured(made_up_plan({true, true}), on_cpu());
  const auto& time = m.rows.front();
  CHECK(time.metric == "time_10_waits");
  CHECK(time.status == "ok");
  CHECK(time.value >= .002);
  CHECK(time.q1 <= time.value);
  CHECK(time.value <= time.q3);
  CHECK(static_cast<std::size_t>(time.samples) == m.samples.size());
  CHECK(row_of(m.rows, "time_1_wait_cold").value >= .002);
  CHECK(row_of(m.rows, "time_to_solution").value >= time.value);
  CHECK(row_of(m.rows, "error").status == "ok");
}

TEST_CASE("a disturbed time keeps its value and says what disturbed it, and the answer's errors stay") {
  const testing::busy_machine disturbed;
  const auto m = measured(made_up_plan({true, true}), on_cpu());
  CHECK(m.rows.front().status == "disturbed");
  CHECK(m.rows.front().value >= .002);
  CHECK_THAT(m.rows.front().reason, ContainsSubstring("disturbed: the program was stopped"));
  CHECK(row_of(m.rows, "time_to_solution").status == "disturbed");
  CHECK(row_of(m.rows, "bandwidth_logical").status == "disturbed");
  CHECK(row_of(m.rows, "error").status == "ok");
  CHECK(static_cast<std::size_t>(m.rows.front().samples) == m.samples.size());
}

namespace {

// Takes so many seconds for a check and for each repeat.
struct slow_case final : testing::pretended {
  slow_case(double check, double repeat) : pretended({true, true}), check_(check), repeat_(repeat) {}

  static void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

  std::vector<checkers::finding> verify() override {
    wait(check_);
    return pretended::verify();
  }
  double run(int repeats) override {
    wait(repeat_ * repeats);
    return repeat_ * repeats;
  }

  double check_, repeat_;
};

measured_case measured_within(double limit, double check, double repeat, int repeats) {
  case_plan plan = made_up_plan({});
  plan.cold_metric.clear();
  plan.repeats = repeats;
  plan.make = [=](const variant&, const device&) { return std::make_unique<slow_case>(check, repeat); };
  return measured(plan, on_cpu(), preset::quick, time_limit(limit, "a plan for 6 s"));
}

}  // namespace

TEST_CASE("a case at its time limit keeps the samples that it has, checks them and says so") {
  measured_within(.5, .02, .11, 1);  // measures the roofs, which are no part of a case's time
  const auto begin = std::chrono::steady_clock::now();
  const auto m = measured_within(.5, .02, .11, 1);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(m.rows.front().status != "skipped");
  CHECK(m.rows.front().value == .11);
  CHECK(m.rows.front().samples >= 1);
  CHECK(m.rows.front().samples < 10);  // as many as the preset asks for
  CHECK_THAT(m.rows.front().reason, ContainsSubstring("a plan for 6 s allows the case 0.5 s"));
  CHECK(row_of(m.rows, "error").status == "ok");
  CHECK(std::ranges::none_of(m.rows, [](const auto& r) { return r.metric.starts_with("energy_"); }));
  CHECK(took.count() < 1);  // the preset would sample for a second
}

TEST_CASE(
    "a case whose limit leaves no time for a sample is a single run, or skipped if one repeat says too "
    "little") {
  const auto single = measured_within(.3, .01, .2, 1);
  CHECK(single.rows.front().value == .2);
  CHECK(single.rows.front().samples == 1);
  CHECK_THAT(single.rows.front().reason,
             ContainsSubstring("a single run; a plan for 6 s allows the case 0.3 s"));
  const auto skipped = measured_within(.3, .01, .2, 5);
  CHECK(skipped.rows.front().status == "skipped");
  CHECK_THAT(skipped.rows.front().reason, ContainsSubstring("a plan for 6 s allows the case 0.3 s"));
  const auto unchecked = measured_within(.1, .2, .001, 1);
  CHECK(unchecked.rows.front().status == "skipped");
  CHECK_THAT(unchecked.rows.front().reason, ContainsSubstring("the first check took longer"));
}

TEST_CASE("an answer that is wrong before or after timing has no time") {
  for (const auto& [right, said] :
       {std::pair{std::vector{false}, "before timing"}, {std::vector{true, false}, "after timing"}}) {
    const auto m = measured(made_up_plan(right), on_cpu());
    CHECK(std::isnan(m.rows.front().value));
    CHECK_THAT(m.rows.front().reason, ContainsSubstring(said));
    CHECK(m.samples.empty());
    for (const auto& r : m.rows) CHECK(r.status == "failed");
  }
}

TEST_CASE("of several findings of a metric the worst is the case's row") {
  struct twice final : testing::pretended {
    using testing::pretended::pretended;
    std::vector<checkers::finding> verify() override {
      return {{"error", .1, .5, "short"}, {"error", .3, .5, "long"}, {"error", .2, .5, "middle"}};
    }
  };
  auto plan = made_up_plan({true, true});
  plan.make = [](const variant&, const device&) { return std::make_unique<twice>(std::vector{true}); };

  const auto m = measured(plan, on_cpu());

  const auto is_error = [](const auto& r) { return r.metric == "error"; };
  CHECK(std::ranges::count_if(m.rows, is_error) == 1);
  CHECK(row_of(m.rows, "error").value == .3);
}

TEST_CASE("a rate that the memory cannot deliver is a failure that names its causes, and in smoke a remark",
          "[standard]") {
  const auto m = measured(made_up_plan({true, true}, 1e15), on_cpu(), preset::quick);
  CHECK(m.rows.front().status == "failed");
  CHECK_THAT(m.rows.front().reason, ContainsSubstring("counted too high"));
  const auto gate = measured(made_up_plan({true, true}, 1e15), on_cpu());
  CHECK(gate.rows.front().status == "ok");
  CHECK(row_of(gate.rows, "share_of_copy_roof").status == "skipped");
  CHECK_THAT(row_of(gate.rows, "share_of_copy_roof").reason.str(), ContainsSubstring("counted too high"));
}

TEST_CASE("what is not there is skipped with its reason, what fails is failed with its message") {
  target nowhere;
  nowhere.reason = "no such device";
  const auto skipped = measured(made_up_plan({true}), nowhere).rows.front();
  CHECK(skipped.status == "skipped");
  CHECK(skipped.reason == "no such device");

  case_plan lost = made_up_plan({});
  lost.make = [](const variant&, const device&) -> std::unique_ptr<subject> { throw error("device lost"); };
  const auto failed = measured(lost, on_cpu()).rows.front();
  CHECK(failed.status == "failed");
  CHECK_THAT(failed.reason, ContainsSubstring("device lost"));

  case_plan large = made_up_plan({});
  large.make = [](const variant&, const device&) -> std::unique_ptr<subject> { throw std::bad_alloc(); };
  CHECK(measured(large, on_cpu()).rows.front().status == "skipped");
}

TEST_CASE("a clock that moves or is held back is said") {
  CHECK(clock_change({1980, ""}, {1950, ""}).empty());
  CHECK(clock_change({std::nullopt, ""}, {1950, ""}).empty());
  CHECK_THAT(clock_change({1980, ""}, {1500, ""}), ContainsSubstring("from 1980 to 1500 MHz"));
  CHECK_THAT(clock_change({1980, ""}, {1980, "software power cap"}), ContainsSubstring("power cap"));
}

TEST_CASE("sizes are parsed or refused with what to do") {
  CHECK(parse_size("512x1024").width == 512);
  CHECK(parse_size("512x1024").height == 1024);
  for (const char* const bad : {"", "512", "x", "512x", "x512", "0x5", "-3x5", "5x-3", "1e3x5", "5x5x5",
                                "99999999999x1", "2000000000x2000000000"})
    CHECK_THROWS_AS(parse_size(bad), bad_input);
}

TEST_CASE("a family takes sizes of its own form, and says which") {
  const auto parsed = [](const char* word, const char* text) {
    const family& f = *find_family(word);
    return parse_sizes({text}, std::vector{&f}).front();
  };
  CHECK(to_string(parsed("angiogenesis", "400")) == "400x1");
  CHECK(to_string(parsed("jacobi", "9x7")) == "9x7");
  CHECK_THROWS_WITH(
      parsed("angiogenesis", "9x7"),
      ContainsSubstring("'9x7' is not one that angiogenesis takes") && ContainsSubstring("for example 400"));
  for (const char* const word : {"curvature", "jacobi", "tissue"})
    CHECK_THROWS_WITH(parsed(word, "400"), ContainsSubstring(word) && ContainsSubstring("WIDTHxHEIGHT"));
  for (const char* const word : {"atrium", "scale"})
    for (const char* const text : {"400", "9x7"})
      CHECK_THROWS_WITH(parsed(word, text),
                        ContainsSubstring(word) && ContainsSubstring("--set subdivisions="));
  for (const char* const text : {"0", "-3", "2000000000"})
    CHECK_THROWS_AS(parsed("angiogenesis", text), bad_input);
}

TEST_CASE("a case that the filter leaves out is not loaded, and the filter sees precision and parameter") {
  sampler engine({"--benchmark_filter=single/matrix=.*"});
  auto plan = made_up_plan({true, true});
  const auto make = plan.make;
  int loaded = 0;
  plan.make = [&](const variant& v, const device& d) {
    ++loaded;
    return make(v, d);
  };
  for (const auto& [parameter, count] : {std::pair{"", 0}, {"matrix=pinned", 1}}) {
    plan.parameter = parameter;
    const target on = on_cpu();
    const auto m = measure(plan, on, preset::smoke, engine, case_row("run", "made/up", plan, on));
    CHECK(loaded == count);
    CHECK(m.rows.front().status == (count > 0 ? "ok" : "skipped"));
  }
  CHECK_THROWS_AS(sampler({"--benchmark_filter=(("}), bad_input);
  CHECK_FALSE(sampler({"--benchmark_filter=-cuda"}).accepts("jacobi/table1/jacobi/cuda_2d"));
}

TEST_CASE(
    "a run has the cases of the chosen variants, precisions and parameters only, also when it is resumed") {
  const temporary_folder folder;
  std::ostringstream out;
  run_request request = smoke_request("jacobi/table4", folder);
  request.choice = {.variants = {"cpu_*"}, .parameters = {""}, .precision = "single"};
  run_experiments(request, out);
  const auto run = reports::read_run(request.out);
  for (const auto& r : run.rows) {
    if (r.experiment != "jacobi/table4") continue;
    CHECK(r.variant.starts_with("jacobi/cpu_"));
  }
  CHECK((*run.description)["request"]["variants"] == std::vector<std::string>{"cpu_*"});
  request.choice.precision = "double";
  request.out = folder / "none";
  CHECK_THROWS_WITH(run_experiments(request, out), ContainsSubstring("no case"));
  CHECK_FALSE(std::filesystem::exists(request.out));
}

TEST_CASE("a solver that cannot be constructed is a wrong problem, and does not end the run") {
  family broken;
  broken.word = "jacobi";
  broken.verify = [](const variant&, const device&,
                     std::span<const grid_size>) -> std::vector<verified_case> {
    throw error("no solver today");
  };
  const auto row = problem_row("run", broken, "cpu");
  CHECK(row.status == "failed");
  CHECK_THAT(row.reason.str(), ContainsSubstring("no solver today"));
}

TEST_CASE("a size is one of every family that is run") {
  run_request request;
  request.experiments = {"jacobi/*", "tissue/*"};
  add_sizes(request, {"9x7", "8x8"});
  CHECK(request.plan.sizes.size() == 2);
  request.experiments.emplace_back("angiogenesis/*");
  CHECK_THROWS_WITH(add_sizes(request, {"9x7"}), ContainsSubstring("angiogenesis"));
  CHECK_THROWS_WITH(add_sizes(request, {"9"}), ContainsSubstring("jacobi"));
}

TEST_CASE("ids match shell globs, with or without their family") {
  CHECK(matches("jacobi/cuda_*", "jacobi/cuda_2d"));
  CHECK(matches("cuda_*", "jacobi/cuda_2d"));
  CHECK(matches("*", "jacobi/cuda_2d"));
  CHECK_FALSE(matches("cuda_?", "jacobi/cuda_2d"));
  CHECK_FALSE(matches("tissue/*", "jacobi/cuda_2d"));
  CHECK(matches("jacobi*", "jacobi/cuda_2d"));
}

TEST_CASE("a glob that excludes a first letter is about the name, not about its family") {
  CHECK_FALSE(matches("[!c]*", "jacobi/cuda_2d"));
  CHECK_FALSE(matches("?acobi*", "jacobi/cuda_2d"));
  CHECK(matches("[!j]*", "jacobi/cuda_2d"));
  CHECK(matches("[!a-z]acobi/*", "Jacobi/cuda_2d"));
}

TEST_CASE("the host's roofs are positive, and caches are not slower than memory") {
  const device cpu = devices_of(backend::cpu).devices.front();
  CHECK(copy_roof(cpu, std::size_t{64} << 20U).value > 1e8);
  CHECK(read_roof(cpu, std::size_t{64} << 20U).value > 1e8);
  CHECK(flops_roof(cpu, precision::single).value > 1e8);
  CHECK(governing_limit(cpu, 1 << 16, 0, preset::smoke).most >=
        governing_copy_roof(cpu, 1 << 16, preset::smoke));
  // A very small footprint must not become empty arrays.
  CHECK(read_roof(cpu, 300).value > 0);
  CHECK(copy_roof(cpu, 300).value > 0);
}

TEST_CASE("a run writes rows for all it measured and a reason for all it could not") {
  const temporary_folder folder;
  std::ostringstream out;
  const run_request request = smoke_request("jacobi/table3", folder);
  const auto outcome = run_experiments(request, out);
  const auto of_host = std::ranges::count_if(manifest(), [](const manifest_entry& entry) {
    return entry.id.starts_with("jacobi/") && entry.needs == backend::cpu && entry.not_built.empty();
  });
  CHECK(outcome.measured == of_host);
  CHECK(outcome.failed == 0);
  CHECK_THAT(out.str(), ContainsSubstring(" s  harness/roofs cpu: copy "));
  CHECK(out.str().find("harness/roofs") < out.str().find("jacobi/table3"));
  const auto run = reports::read_run(request.out);
  std::set<std::string> variants_seen;
  for (const auto& r : run.rows)
    if (r.experiment == "jacobi/table3") variants_seen.insert(r.variant);
  const auto of_family = std::ranges::count_if(
      manifest(), [](const manifest_entry& entry) { return entry.id.starts_with("jacobi/"); });
  CHECK(variants_seen.size() == static_cast<std::size_t>(of_family));
  CHECK(std::ranges::count_if(run.rows, [](const auto& r) {
          return r.metric == "speedup_over_cpu" && r.value > 0;
        }) == of_host - 1);
  CHECK((*run.description)["devices"].size() == 1);
}

TEST_CASE("an interrupted run is resumed without measuring anything twice") {
  const temporary_folder folder;
  std::ostringstream out;
  const run_request request = smoke_request("jacobi/table4", folder);
  run_experiments(request, out);
  const auto first = reports::read_run(request.out).rows;
  run_request again;
  again.out = request.out;
  again.resume = true;
  const auto outcome = run_experiments(again, out);
  CHECK(outcome.measured == 1);
  CHECK(reports::read_run(request.out).rows.size() == first.size());
  CHECK_THAT(out.str(), ContainsSubstring("the run is finished; nothing is left to do"));
}

TEST_CASE("an unknown id is refused with where to look") {
  std::ostringstream out;
  run_request request;
  request.experiments = {"jacobi/tabel3"};
  CHECK_THROWS_AS(run_experiments(request, out), bad_input);
  CHECK_THROWS_AS(verify_variants({{"nothing"}, {}, "*"}, out), bad_input);
  CHECK_THROWS_AS(verify_variants({{"jacobi/*", "angiogenesis/*"}, {"9x7"}, "*"}, out), bad_input);
  CHECK(out.str().empty());
}
