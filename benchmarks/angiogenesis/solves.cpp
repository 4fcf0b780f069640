// SPDX-License-Identifier: MIT
// Implements the angiogenesis paper's cases of single solves, kernels and parameter studies.
#include "benchmarks/angiogenesis/solves.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "benchmarks/angiogenesis/profiles.hpp"
#include "solvers/angiogenesis/study.hpp"
#include "solvers/common/base/error.hpp"
#include "verification/angiogenesis/check.hpp"
#include "verification/angiogenesis/kernel_check.hpp"

namespace reprise::harness::angiogenesis_cases {
namespace {

namespace check = verification::angiogenesis;
using namespace angiogenesis;

constexpr int launches = 200;

problem problem_of(const choice& chosen, int nodes) {
  return make_problem(chosen.parameters, taxis::nodal, start::step, nodes, chosen.dt);
}

struct named_part {
  const char* name;
  double time_split::*seconds;
};
constexpr std::array<named_part, 11> parts{{{"transfer", &time_split::transfer},
                                            {"launch", &time_split::launch},
                                            {"synchronise", &time_split::synchronise},
                                            {"factorise", &time_split::factorise},
                                            {"forward", &time_split::forward},
                                            {"back", &time_split::back},
                                            {"host", &time_split::host},
                                            {"to_device", &time_split::to_device},
                                            {"pivot", &time_split::pivot},
                                            {"swap", &time_split::swap},
                                            {"eliminate", &time_split::eliminate}}};

class system_solves final : public subject {
 public:
  system_solves(std::unique_ptr<solver> s, const problem& p, const solve_task& t)
      : solver_(std::move(s)), task_(t), expected_(p), x_(expected_.a().size()) {
    for (const Eigen::VectorXd& b : expected_.right_sides()) right_sides_.emplace_back(b.begin(), b.end());
    solver_->watch_kernels(t.is_watched);
  }

  void load() override {
    if (task_.where == vectors::on_device && solver_->resident() == nullptr)
      throw unavailable("has no solve without transfers");
    solver_->load(expected_.a(), task_.when);
    if (task_.where == vectors::on_device) solver_->resident()->keep(right_sides_);
    // Repeat short solves until they last this long (in seconds), so that reading the
    // clock costs nothing visible.
    constexpr double long_enough = 2e-4;
    seconds_of(1);
    inner_ = std::clamp(static_cast<int>(long_enough / seconds_of(1)), 1, 1000);
  }

  std::vector<checkers::finding> verify() override {
    auto findings = check::verify(*solver_, expected_, task_.when);
    if (task_.where == vectors::on_device) solver_->resident()->keep(right_sides_);
    return findings;
  }

  double run(int repeats) override {
    before_ = solver_->spent();
    const double seconds = seconds_of(repeats * inner_);
    after_ = solver_->spent();
    return seconds / inner_;
  }
  int runs_of_repeat() const override { return inner_; }

  // The answer that the samples left, then every answer of as many solves as a sample has, all without a
  // reload.
  std::vector<checkers::finding> judge_timed_work(int repeats) override {
    check::answers_judge judge(expected_);
    const auto add = [&] {
      if (task_.where == vectors::on_device) solver_->resident()->read_kept(x_);
      judge.add(last_, x_);
    };
    add();
    const int fewest = static_cast<int>(right_sides_.size());
    solve_all(std::max(repeats * inner_, fewest), add);
    return judge.findings(solver_->tolerance());
  }

  std::optional<accounted> account() override { return accounted{1, solver_->per_solve()}; }

  // The solution for the first right-hand side: one step of the four profiles.
  final_state end() override {
    solver_->load(expected_.a(), task_.when);
    solver_->solve(right_sides_.front(), x_);
    return {profiles(x_)};
  }

  std::vector<found> results() override {
    const auto since = [&](double time_split::*part) { return after_.seconds.*part - before_.seconds.*part; };
    const auto solves = static_cast<double>(after_.solves - before_.solves);
    std::vector<found> all;
    for (const named_part& p : parts)
      if (since(p.seconds) > 0)
        all.push_back({fmt::format("part_{}", p.name), since(p.seconds) / solves, "s", "of a solve"});
    all.push_back(
        {"row_swaps", static_cast<double>(after_.row_swaps.value_or(0)), "1", "of a factorisation"});
    if (solver_->tolerance() > 0)
      all.push_back({"iterations", static_cast<double>(after_.iterations - before_.iterations) / solves, "1",
                     "of a solve"});
    const bus_traffic moved = task_.where == vectors::on_device
                                  ? bus_traffic{0, "nothing: b and x stay on the device"}
                                  : solver_->traffic();
    all.push_back({"bus_bytes", moved.bytes, "B", moved.contents});
    if (resident_solver* const there = solver_->resident(); there != nullptr) {
      const bool copies = task_.where == vectors::on_host;
      all.push_back({"launch_floor", there->launch_floor_seconds(copies), "s",
                     copies ? "copy of b, empty launch, copy of x" : "empty launch and the wait for it"});
    }
    all.push_back({"split_share", 100 * share_, "%", "all parts over the wall time that they divide"});
    return all;
  }

 private:
  double seconds_of(int solves) {
    const double before = solver_->spent().seconds.total();
    const auto begin = std::chrono::steady_clock::now();
    solve_all(solves, [] {});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    share_ = (solver_->spent().seconds.total() - before) / seconds;
    return seconds;
  }

  // The right-hand sides take turns, so that no solve can repeat the answer of the one before.
  template <class After>
  void solve_all(int solves, After after) {
    for (int k = 0; k < solves; ++k) {
      last_ = (last_ + 1) % right_sides_.size();
      if (task_.where == vectors::on_device) {
        solver_->resident()->solve_kept(last_);
      } else {
        solver_->solve(right_sides_[last_], x_);
      }
      after();
    }
  }

  std::unique_ptr<solver> solver_;
  solve_task task_;
  check::system_expectation expected_;
  std::vector<std::vector<double>> right_sides_;
  std::size_t last_{};  // the right-hand side of the answer in x_
  std::vector<double> x_;
  effort before_, after_;  // totals before and after the last run
  int inner_{1};
  double share_{};
};

class kernel_alone final : public subject {
 public:
  kernel_alone(std::unique_ptr<solver> s, const problem& p, std::string name)
      : solver_(std::move(s)), expected_(p), name_(std::move(name)) {
    solver_->watch_kernels(true);
  }

  void load() override { solver_->load(expected_.a(), factoring::every_solve); }
  std::vector<checkers::finding> verify() override {
    auto findings = check::verify(*solver_, expected_, factoring::every_solve);
    const time_split& s = solver_->spent().seconds;
    share_ = (name_ == "pivot" ? s.pivot : name_ == "swap" ? s.swap : s.eliminate) / s.total();
    return findings;
  }
  // Each sample begins with the matrix as it is, and its launches are spread over the columns of a solve.
  double run(int repeats) override {
    before_ = check::state_of(expected_.a());
    kernel().set_state(before_);
    columns_ = columns_of(repeats);
    return kernel().seconds_of(columns_);
  }

  // What the last sample made of the matrix, then as many launches on a matrix whose pivots lie elsewhere.
  std::vector<checkers::finding> judge_timed_work(int repeats) override {
    const checkers::finding left =
        check::judge_launches("timed_run_error", name_, before_, columns_, kernel().state());
    const kernel_state drawn = check::drawn_state(expected_.a().order, name_);
    kernel().set_state(drawn);
    const std::vector<int> columns = columns_of(repeats);
    kernel().seconds_of(columns);
    return {left, check::judge_launches("timed_work_error", name_, drawn, columns, kernel().state())};
  }
  // The mean of all columns of a solve.
  std::optional<accounted> account() override {
    work mean;
    const int columns = kernel().columns;
    for (int k = 0; k < columns; ++k) {
      const work here = kernel().work_at(k);
      for (double work::*part : {&work::bytes_logical, &work::bytes_dram, &work::bytes_shared, &work::flops})
        mean.*part += here.*part / columns;
    }
    return accounted{1.0 * launches, mean};
  }
  std::vector<found> results() override {
    return {{"occupancy", kernel().occupancy, "1",
             "of the launch: its blocks, or those that the device holds at once"},
            {"share_of_time", 100 * share_, "%", "of watched solves"}};
  }

 private:
  const kernel_probe& kernel() {
    if (kernels_.empty()) kernels_ = solver_->kernels();
    return named(kernels_, name_);
  }

  std::unique_ptr<solver> solver_;
  check::system_expectation expected_;
  std::string name_;
  std::vector<int> columns_of(int count) {
    std::vector<int> columns;
    for (int l = 0; l < count; ++l)
      columns.push_back(static_cast<int>((2LL * l + 1) * kernel().columns / (2LL * count)));
    return columns;
  }

  std::vector<kernel_probe> kernels_;
  kernel_state before_;       // of the last sample
  std::vector<int> columns_;  // of its launches
  double share_{};
};

// Compares every member with the host's run of the same study, which is computed once, and members that tell
// the most with the reference.
class study_run final : public subject {
 public:
  study_run(std::unique_ptr<study_runner> s, study what)
      : runner_(std::move(s)), study_(std::move(what)), known_(study_, check::telling_members(study_)) {}

  void load() override { runner_->load(study_); }
  std::vector<checkers::finding> verify() override {
    if (expected_.steps.empty()) {
      const target on = targets_of("angiogenesis/cpu_study", "cpu", false).front();
      const auto host = dynamic_cast<const variant_of<study_runner>&>(*on.variant).make(on.device);
      host->load(study_);
      host->run();
      expected_ = host->answer();
    }
    runner_->run();
    return check::compare(study_, runner_->answer(), expected_);
  }
  double run(int repeats) override {
    return clocked(*runner_, [&] {
      for (int r = 0; r < repeats; ++r) runner_->run();
    });
  }
  // Whole runs of the answer that the samples left, and their last step from states that the variant itself
  // reaches in a study with one step less.
  std::vector<checkers::finding> judge_timed_work(int /*repeats*/) override {
    const study_answer left = runner_->answer();
    std::vector<checkers::finding> findings = known_.judge(left);
    findings[0].metric = "timed_run_error";
    findings[1].metric = "timed_steps_error";
    study shorter = known_.chosen_alone();
    --shorter.steps;
    runner_->load(shorter);
    runner_->run();
    findings.push_back(known_.judge_last_step(runner_->answer(), left));
    runner_->load(study_);
    return findings;
  }
  void read_back() override { runner_->answer(); }
  std::optional<accounted> account() override {
    return accounted{1.0 * static_cast<double>(study_.members.size()) * study_.steps * study_.nodes,
                     runner_->per_unit()};
  }

 private:
  std::unique_ptr<study_runner> runner_;
  study study_;
  check::study_expectation known_;
  study_answer expected_;
};

// Rough estimate that decides which cases a preset can afford; right within a factor
// of a few on current machines.
double expected_solve(const std::string& variant, int nodes, factoring when, const device& on) {
  const double n = 4.0 * nodes;
  if (!on.on_host && variant == "cuda_elimination") return n * 6e-5 + n * n * n * 1e-11;
  if (!on.on_host && on.kind != backend::cpu) return 1e-4 + n * 4e-6;
  if (is_by_structure(variant)) return n * 1e-6;
  return n * n * 1.5e-9 + (when == factoring::every_solve ? n * n * n * 2.5e-10 : 0);
}

double expected_study(int nodes, int members, int steps, const device& on) {
  const double units = 1.0 * nodes * members * steps;
  const double cores = std::max(1U, std::thread::hardware_concurrency());
  return on.kind == backend::cpu ? units * 6e-8 / cores : units * 1e-10;
}

case_plan plan_of(const std::string& name, int nodes, std::string parameter, std::string metric) {
  case_plan plan;
  plan.variant = "angiogenesis/" + name;
  plan.arithmetic = precision::double_;
  plan.size = fmt::format("{}x1", nodes);
  plan.parameter = std::move(parameter);
  plan.metric = std::move(metric);
  const double n = 4.0 * nodes;
  plan.footprint_bytes =
      static_cast<std::size_t>(sizeof(double) * (is_by_structure(name) ? 30 * n : n * (n + 1)));
  plan.units_per_repeat = 1;
  return plan;
}

}  // namespace

std::string solve_parameter(const solve_task& t) {
  return fmt::format("factor={}{}{}", to_string(t.when), t.is_watched ? ";kernels=watched" : "",
                     t.where == vectors::on_device ? ";vectors=device" : "");
}

case_plan plan_solve(const std::string& name, const choice& chosen, int nodes, const solve_task& t) {
  case_plan plan = plan_of(name, nodes, solve_parameter(t) + chosen.told, solve_metric);
  plan.note = t.where == vectors::on_device
                  ? "b and x stay on the device"
                  : "but what a solve itself moves: b and x, and the paper's program its matrix";
  plan.expected_seconds = [=](const device& on) { return expected_solve(name, nodes, t.when, on); };
  plan.make = around<solver>(
      [=](auto s) { return std::make_unique<system_solves>(std::move(s), problem_of(chosen, nodes), t); });
  return plan;
}

case_plan plan_kernel(const std::string& kernel, const choice& chosen, int nodes) {
  case_plan plan = plan_of("cuda_elimination", nodes, "kernel=" + kernel + chosen.told, kernel_metric);
  plan.repeats = launches;
  plan.make = around<solver>([=](auto s) {
    return std::make_unique<kernel_alone>(std::move(s), problem_of(chosen, nodes), kernel);
  });
  return plan;
}

case_plan plan_study(const std::string& name, const choice& chosen, int nodes, int members, int steps) {
  case_plan plan =
      plan_of(name, nodes, fmt::format("members={};steps={}{}", members, steps, chosen.told), study_metric);
  plan.units_per_repeat = 1.0 * members * nodes;
  plan.footprint_bytes = static_cast<std::size_t>(plan.units_per_repeat) * fields * sizeof(double);
  plan.expected_seconds = [=](const device& on) { return expected_study(nodes, members, steps, on); };
  plan.make = around<study_runner>([=](auto s) {
    return std::make_unique<study_run>(std::move(s),
                                       spread_study(members, nodes, steps, chosen.parameters, chosen.dt));
  });
  return plan;
}

}  // namespace reprise::harness::angiogenesis_cases
