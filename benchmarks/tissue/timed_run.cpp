// SPDX-License-Identifier: MIT
// Judges runs of fixed steps.
#include "benchmarks/tissue/timed_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "benchmarks/harness/subject.hpp"
#include "verification/checkers/maximum.hpp"

namespace reprise::harness::tissue_cases {
namespace {

namespace check = verification::tissue;
namespace exact = reference::tissue;
using checkers::finding;
using tissue::method;
using tissue::problem;

const std::string window_metric = "timed_work_error";

// What the reference does in a sample's time or so.
constexpr double affordable_work = 1e6;

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

void step_in_calls(tissue::solver& s, long steps, long longest_call) {
  for (long done = 0; done < steps; done += longest_call) s.step(std::min(longest_call, steps - done));
}

// The steps in calls as short as those of the verification.
exact::state after_short_calls(const loaded& on, long steps) {
  on.solver.reset();
  step_in_calls(on.solver, steps, check::fewest_steps(on.method));
  return on.solver.state();
}

// By which factor a disturbance of the initial state grows in the run, whose end is `undisturbed`.
double growth(const loaded& on, long steps, const exact::state& undisturbed) {
  const double shift = check::shift_in(on.arithmetic);
  const problem moved = check::shifted(on.problem, shift);
  on.solver.load(moved, on.method, on.dt, on.arithmetic);
  const exact::state end = after_short_calls({on.solver, moved, on.method, on.dt, on.arithmetic}, steps);
  on.solver.load(on.problem, on.method, on.dt, on.arithmetic);
  return check::distance(end, undisturbed) / shift;
}

// Compares what long calls left with the same steps in short calls. A fault of long calls alone changes every state
// that such a call leaves, so windows between such states miss it. Only calls that differ need to know how rounding
// grows.
finding judge_long_calls(const loaded& on, long steps, const exact::state& left,
                         const exact::state& expected) {
  finding found = check::judge_calls("timed_calls_error", left, expected, 1, on.arithmetic);
  if (found.good()) return found;
  return check::judge_calls("timed_calls_error", left, expected,
                            checkers::larger(1., growth(on, steps, expected)), on.arithmetic);
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
  return record(on, all_windows(on.problem, on.method, steps), {steps}, steps);
}

void recorded_run::make_shortly(const loaded& on, long steps, long begun) {
  record(on, affordable_windows(on.problem, on.method, steps), {begun, steps},
         check::fewest_steps(on.method));
}

double recorded_run::record(const loaded& on, std::vector<window> windows, const std::vector<long>& ends,
                            long longest_call) {
  problem_ = on.problem;
  method_ = on.method;
  dt_ = on.dt;
  arithmetic_ = on.arithmetic;
  windows_ = std::move(windows);
  states_.clear();
  states_[0] = on.problem.state0;
  for (const window& w : windows_)
    for (const long end : {w.begin, w.end()}) states_.try_emplace(end);
  for (const long end : ends) states_.try_emplace(end);
  longest_call_ = longest_call;
  const double seconds = make_calls(on.solver, [&](exact::state& kept) { kept = on.solver.state(); });
  answer_ = states_.rbegin()->second;
  return seconds;
}

double recorded_run::make_again(tissue::solver& s) {
  const double seconds = make_calls(s, [](exact::state&) {});
  answer_ = s.state();
  return seconds;
}

double recorded_run::make_calls(tissue::solver& s, const std::function<void(exact::state& kept)>& then) {
  double seconds = 0;
  long done = 0;
  for (auto& [at, kept] : states_) {
    if (at == 0) continue;
    seconds += clocked(s, [&, count = at - done] { step_in_calls(s, count, longest_call_); });
    then(kept);
    done = at;
  }
  return seconds;
}

std::vector<finding> recorded_run::judge() const {
  std::vector<finding> findings;
  for (const window& w : windows_) {
    if (!check::failure_of(problem_, states_.at(w.begin), 0).empty()) continue;
    findings.push_back(check::judge_steps(window_metric, problem_, method_, dt_, states_.at(w.begin), w.steps,
                                          states_.at(w.end()), arithmetic_));
  }
  return findings;
}

finding recorded_run::judge_again() const {
  return {"timed_repeat_error", check::distance(answer_, states_.rbegin()->second), 0,
          "the last of the timed runs repeats the first, which was judged"};
}

finding recorded_run::judge_calls(tissue::solver& s) const {
  const window part = repeated_part();
  tissue::problem from = problem_;
  from.state0 = states_.at(part.begin);
  if (part.begin > 0) s.load(from, method_, dt_, arithmetic_);
  const loaded on{s, from, method_, dt_, arithmetic_};
  finding found = judge_long_calls(on, part.steps, states_.at(part.end()), after_short_calls(on, part.steps));
  if (part.begin > 0) s.load(problem_, method_, dt_, arithmetic_);
  return found;
}

// All of it if that takes no longer than some samples. Otherwise its shortest long call: each call of a long run has
// hundreds of steps, so one shows what goes wrong in all.
window recorded_run::repeated_part() const {
  constexpr double affordable = 1e7;
  constexpr long long_call = 50;
  const long steps = states_.rbegin()->first;
  window part{0, steps};
  if (reference_work(problem_, method_, static_cast<double>(steps)) <= affordable) return part;
  long before = 0;
  for (const auto& [end, state] : states_) {
    const window call{before, end - before};
    if (call.steps >= long_call && call.steps < part.steps) part = call;
    before = end;
  }
  return part;
}

std::vector<finding> judge_calls(const loaded& on, long steps) {
  const exact::state left = on.solver.state();
  // How many steps a sample has depends on the machine. Where the reference cannot afford them all, it makes the first.
  const auto begun = static_cast<long>(affordable_work / reference_work(on.problem, on.method, 1));
  const long judged = std::min(steps, begun);
  recorded_run again;
  on.solver.reset();
  again.make_shortly(on, steps, judged);
  std::vector<finding> findings{checkers::worst_of(again.judge()),
                                judge_long_calls(on, steps, left, again.answer())};
  if (judged > 0)
    checkers::append(findings, judge_whole(on.problem, on.method, on.dt, judged, again.state_after(judged),
                                           on.arithmetic));
  return findings;
}

std::vector<finding> judge_whole(const problem& p, method how, double dt, long steps,
                                 const exact::state& answer, precision arithmetic) {
  if (reference_work(p, how, static_cast<double>(steps)) > affordable_work) return {};
  finding found = check::expect_steps(p, how, dt, steps)->judge(answer, arithmetic).front();
  found.metric = "timed_run_error";
  return {found};
}

}  // namespace reprise::harness::tissue_cases
