// SPDX-License-Identifier: MIT
// Judges runs of fixed steps.
#include "benchmarks/tissue/timed_run.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "benchmarks/harness/subject.hpp"

namespace reprise::harness::tissue_cases {
namespace {

namespace check = verification::tissue;
namespace exact = reference::tissue;
using checkers::finding;
using tissue::method;
using tissue::problem;

const std::string window_metric = "timed_work_error";

std::string seed_of(const problem& p, method how) {
  return fmt::format("{}x{} {} {}", p.nx, p.ny, to_string(p.model), to_string(how));
}

// The first steps, whose initial state is known whatever the solver says, and those drawn from the rest. The most
// telling ones come first: the end, the beginning, then backwards.
std::vector<window> all_windows(const problem& p, method how, long steps) {
  const long longest = std::min(window_steps(p, how), steps);
  std::vector<window> drawn = windows_of(steps, longest, seed_of(p, how));
  std::ranges::reverse(drawn);
  drawn.insert(drawn.begin() + 1, {0, longest});
  return drawn;
}

// As many of the windows as the reference repeats in a tenth of a second or so, at least the last steps.
std::vector<window> affordable_windows(const problem& p, method how, long steps) {
  constexpr double affordable = 1.5e6;
  std::vector<window> windows = all_windows(p, how, steps);
  const double each = reference_work(p, how, static_cast<double>(windows.front().steps));
  const auto count = std::clamp(affordable / each, 1., static_cast<double>(windows.size()));
  windows.resize(static_cast<std::size_t>(count));
  return windows;
}

exact::state after_call(const loaded& on, long steps) {
  if (steps == 0) return on.problem.state0;
  on.solver.reset();
  on.solver.step(steps);
  return on.solver.state();
}

// The same steps in calls as short as those of the verification.
exact::state after_short_calls(const loaded& on, long steps) {
  const long most = check::fewest_steps(on.method);
  on.solver.reset();
  for (long done = 0; done < steps; done += most) on.solver.step(std::min(most, steps - done));
  return on.solver.state();
}

// A fault of long calls alone changes every state that such a call leaves, so windows between such states miss it.
finding judge_long_call(const loaded& on, long steps, const exact::state& left) {
  finding found = check::judge_distance("timed_calls_error", left, after_short_calls(on, steps),
                                        steps * stages_of(on.method));
  found.reason = "one long call and many short ones make the same steps: " + found.reason;
  return found;
}

}  // namespace

double reference_work(const problem& p, method how, double steps) {
  return static_cast<double>(p.cells()) * steps * exact::paper::stages(how);
}

long window_steps(const problem& p, method how) {
  constexpr double small = 1e5;
  const long several = check::fewest_steps(how);
  return reference_work(p, how, static_cast<double>(several)) <= small ? several : 1;
}

double recorded_run::make(const loaded& on, long steps) {
  problem_ = on.problem;
  method_ = on.method;
  dt_ = on.dt;
  windows_ = all_windows(on.problem, on.method, steps);
  states_.clear();
  states_[0] = on.problem.state0;
  for (const window& w : windows_)
    for (const long end : {w.begin, w.end()}) states_.try_emplace(end);
  states_.try_emplace(steps);
  double seconds = 0;
  long done = 0;
  for (auto& [at, state] : states_) {
    if (at == 0) continue;
    seconds += clocked(on.solver, [&, count = at - done] { on.solver.step(count); });
    state = on.solver.state();
    done = at;
  }
  return seconds;
}

std::vector<finding> recorded_run::judge() const {
  std::vector<finding> findings;
  for (const window& w : windows_) {
    if (!check::failure_of(problem_, states_.at(w.begin), 0).empty()) continue;
    findings.push_back(check::judge_steps(window_metric, problem_, method_, dt_, states_.at(w.begin), w.steps,
                                          states_.at(w.end())));
  }
  return findings;
}

std::vector<finding> judge_calls(const loaded& on, long steps) {
  const exact::state left = on.solver.state();
  std::vector<finding> windows;
  for (const window& w : affordable_windows(on.problem, on.method, steps))
    windows.push_back(check::judge_steps(window_metric, on.problem, on.method, on.dt, after_call(on, w.begin),
                                         w.steps, w.end() == steps ? left : after_call(on, w.end())));
  std::vector<finding> findings{checkers::worst_of(windows), judge_long_call(on, steps, left)};
  for (const finding& f : judge_whole(on.problem, on.method, on.dt, steps, left)) findings.push_back(f);
  return findings;
}

std::vector<finding> judge_whole(const problem& p, method how, double dt, long steps,
                                 const exact::state& answer) {
  constexpr double affordable = 1e6;
  if (reference_work(p, how, static_cast<double>(steps)) > affordable) return {};
  finding found = check::expect_steps(p, how, dt, steps)->judge(answer).front();
  found.metric = "timed_run_error";
  return {found};
}

}  // namespace reprise::harness::tissue_cases
