// SPDX-License-Identifier: MIT
// A case of the harness whose answers and speed are invented.
#pragma once

#include <chrono>
#include <thread>

#include "benchmarks/harness/measure.hpp"
#include "benchmarks/harness/sampling.hpp"
#include "solvers/common/base/stopwatch.hpp"
#include "verification/tests/support/measured_rows.hpp"

namespace reprise::testing {

// Sleeps instead of working. The n-th verification succeeds if the n-th entry of `right` is true.
struct pretended : harness::subject {
  explicit pretended(std::vector<bool> right) : right_(std::move(right)) {}
  void load() override {}
  std::vector<checkers::finding> verify() override {
    const bool good = right_.at(asked_++);
    return {{"error", good ? 0.0 : 1.0, .5, "made up"}};
  }
  std::vector<checkers::finding> judge_timed_work(int) override {
    return {{"timed_work_error", timed_error_, .5, "made up"}};
  }
  double run(int) override {
    steady_stopwatch clock;
    clock.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return clock.stop();
  }

  std::vector<bool> right_;
  std::size_t asked_{};
  double timed_error_{};
};

inline harness::case_plan made_up_plan(const std::vector<bool>& right, double units = 1) {
  harness::case_plan plan;
  plan.variant = "made_up/variant";
  plan.size = "1x1";
  plan.metric = "time_10_waits";
  plan.cold_metric = "time_1_wait_cold";
  plan.repeats = 10;
  plan.units_per_repeat = units;
  plan.footprint_bytes = 4096;
  plan.make = [right](const variant&, const device&) { return std::make_unique<pretended>(right); };
  return plan;
}

inline harness::target made_up_target(const device& d) {
  static const auto v = [] {
    variant_of<int> made;
    made.id = "made_up/variant";
    made.runs_on = backend::cpu;
    made.data.per_unit = {.bytes_logical = 8, .bytes_dram = 8, .bytes_dram_once = 0, .flops = 1};
    return made;
  }();
  return {&v, d, ""};
}

inline harness::measured_case measured(const harness::case_plan& plan, const harness::target& on,
                                       harness::preset level = harness::preset::smoke,
                                       const harness::time_limit& limit = {}) {
  harness::sampler engine({});
  return harness::measure(plan, on, level, engine, harness::case_row("test", "made_up/table", plan, on),
                          limit);
}

}  // namespace reprise::testing
