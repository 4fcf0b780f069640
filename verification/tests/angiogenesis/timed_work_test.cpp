// SPDX-License-Identifier: MIT
// Tests that the timed work of angiogenesis is judged: solvers that go wrong late, in the last step only, at
// sizes beyond those of verify or without a reload are found after the samples.
#include <memory>

#include "benchmarks/angiogenesis/solves.hpp"
#include "verification/angiogenesis/kernel_check.hpp"
#include "verification/tests/support/angiogenesis_systems.hpp"

using namespace reprise::angiogenesis::tests;
using namespace reprise::harness::angiogenesis_cases;

namespace {

// When the solver below is wrong, by the number of solves since it was loaded, and of loads.
std::function<bool(const matrix& a, long solve, long load)> is_wrong;

class late_fault final : public solver {
 public:
  explicit late_fault(const device&) {}
  void load(const matrix& a, factoring when) override {
    honest_->load(a, when);
    a_ = a;
    solves_ = 0;
    ++loads_;
  }
  void solve(std::span<const double> b, std::span<double> x) override {
    honest_->solve(b, x);
    if (is_wrong(a_, ++solves_, loads_)) x[x.size() / 2] *= 1 + 1e-6;
  }
  const effort& spent() const override { return honest_->spent(); }
  stopwatch& clock() override { return honest_->clock(); }
  work per_solve() const override { return honest_->per_solve(); }

 private:
  std::unique_ptr<solver> honest_{on_host("cpu_structured")};
  matrix a_;
  long solves_{}, loads_{};
};

bool is_judged_good(const harness::case_plan& plan, int samples, int repeats) {
  variant_of<solver> faulty;
  faulty.id = "angiogenesis/cpu_structured";
  faulty.make = [](const device& d) -> std::unique_ptr<solver> { return std::make_unique<late_fault>(d); };
  const auto s = plan.make(faulty, harness::targets_of(faulty.id, "cpu", false).front().device);
  s->load();
  CHECK(checkers::all_good(s->verify()));
  for (int k = 0; k < samples; ++k) s->run(repeats);
  return checkers::all_good(s->judge_timed_work(repeats));
}

choice usual_choice() {
  return choice_of({});
}

harness::case_plan plan_of_steps(int steps, question asked = question::difference) {
  return plan_run("cpu_structured", {asked, taxis::nodal, factoring::once, steps}, usual_choice(), 40, "");
}

}  // namespace

TEST_CASE("solves that go wrong after the first ones are found") {
  const auto plan = plan_solve("cpu_structured", usual_choice(), 40, {.when = factoring::once});
  is_wrong = [](const matrix&, long, long) { return false; };
  CHECK(is_judged_good(plan, 2, 5));
  // verify makes three solves after the load, and all of them are right.
  is_wrong = [](const matrix&, long solve, long) { return solve > 4; };
  CHECK_FALSE(is_judged_good(plan, 2, 5));
  is_wrong = [](const matrix&, long solve, long) { return solve > 4 && solve % 3 == 0; };
  CHECK_FALSE(is_judged_good(plan, 2, 5));
}

TEST_CASE("steps that go wrong late, or only at the end of a run, are found") {
  is_wrong = [](const matrix&, long, long) { return false; };
  CHECK(is_judged_good(plan_of_steps(60), 2, 1));
  CHECK(is_judged_good(plan_of_steps(3), 2, 1));
  for (const long from : {6L, 30L, 57L, 60L}) {
    INFO("from step " << from);
    is_wrong = [=](const matrix&, long solve, long) { return (solve - 1) % 60 + 1 >= from; };
    CHECK_FALSE(is_judged_good(plan_of_steps(60), 1, 1));
  }
  is_wrong = [](const matrix&, long solve, long) { return solve % 60 == 0; };
  CHECK_FALSE(is_judged_good(plan_of_steps(60), 1, 1));
}

TEST_CASE("runs that go wrong when they are repeated without a reload are found") {
  is_wrong = [](const matrix&, long solve, long) { return solve > 60; };
  CHECK_FALSE(is_judged_good(plan_of_steps(60), 2, 1));
}

TEST_CASE("a run with sources is judged with its sources") {
  is_wrong = [](const matrix&, long, long) { return false; };
  for (const question asked :
       {question::error_in_time, question::error_in_space, question::error_of_halving}) {
    const auto plan = plan_run("cpu_structured", {asked, taxis::analytic, factoring::once, 40}, {}, 11, "");
    CHECK(is_judged_good(plan, 1, 1));
    is_wrong = [](const matrix&, long solve, long) { return solve > 30; };
    CHECK_FALSE(is_judged_good(plan, 1, 1));
    is_wrong = [](const matrix&, long, long) { return false; };
  }
}

TEST_CASE("what launches of a kernel leave is judged by their columns") {
  constexpr std::size_t n = 6, width = n + 1;
  const kernel_state drawn = check::drawn_state(n, "pivot"), dominated = check::drawn_state(n, "eliminate");
  using columns = std::vector<int>;
  const auto judged = [&](const char* kernel, const columns& launched, const kernel_state& after) {
    const kernel_state& before = kernel == std::string("eliminate") ? dominated : drawn;
    return check::judge_launches("timed_work_error", kernel, before, launched, after).good();
  };
  kernel_state swapped = drawn, eliminated = dominated, found = drawn;
  const auto row = [&](std::size_t i) {
    return swapped.augmented.begin() + static_cast<std::ptrdiff_t>(i * width);
  };
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}})
    std::swap_ranges(row(k), row(k + 1), row(n - 1));
  for (const std::size_t k : {std::size_t{0}, std::size_t{2}, std::size_t{4}})
    for (std::size_t i = k + 1; i < n; ++i)
      for (std::size_t j = k + 1; j < width; ++j)
        eliminated.augmented[i * width + j] -= eliminated.augmented[i * width + k] /
                                               eliminated.augmented[k * width + k] *
                                               eliminated.augmented[k * width + j];
  found.row = 3;
  found.magnitude = 1.5;

  CHECK(judged("swap", {0, 2}, swapped));
  CHECK(judged("swap", {1, 1}, drawn));
  CHECK_FALSE(judged("swap", {2, 0}, swapped));
  CHECK_FALSE(judged("swap", {0}, swapped));
  CHECK(judged("eliminate", {0, 2, 4}, eliminated));
  CHECK_FALSE(judged("eliminate", {0, 2}, eliminated));
  CHECK_FALSE(judged("eliminate", {0, 2, 3}, eliminated));
  CHECK_FALSE(judged("eliminate", {0, 0, 0}, eliminated));
  CHECK(judged("pivot", {4, 2, 0}, found));
  CHECK_FALSE(judged("pivot", {0, 2, 4}, found));
  CHECK_FALSE(judged("pivot", {0}, drawn));
  for (kernel_state* const s : {&swapped, &eliminated, &found}) s->augmented[40] = not_a_number;
  CHECK_FALSE(judged("swap", {0, 2}, swapped));
  CHECK_FALSE(judged("eliminate", {0, 2, 4}, eliminated));
  CHECK_FALSE(judged("pivot", {0}, found));
  CHECK_FALSE(judged("eliminate", {}, dominated));
  CHECK_FALSE(judged("eliminate", {0}, {}));
}

TEST_CASE("the timed work of kernels and studies is judged on a GPU") {
  for (const char* const id : {"angiogenesis/table3", "angiogenesis/study"})
    for (const harness::case_plan& plan :
         verification::experiment_of(id).plan({harness::preset::smoke, {{5, 1}}, {}})) {
      const harness::target on = harness::targets_of(plan.variant, "*", true).back();
      if (on.variant == nullptr) continue;
      const auto s = verification::require_case(plan, on, 2);
      for (const checkers::finding& f : s->judge_timed_work(3)) {
        INFO(plan.parameter << ": " << checkers::describe(f));
        CHECK(f.good());
        CHECK(f.metric.starts_with("timed_"));
      }
      CHECK(checkers::all_good(s->verify()));
    }
}
