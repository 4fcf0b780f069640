// SPDX-License-Identifier: MIT
// Judges runs of fixed steps: which steps of a run the reference repeats, and runs that record the states round these
// steps while they are timed.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benchmarks/harness/timed_work.hpp"
#include "solvers/tissue/variant.hpp"
#include "verification/tissue/check.hpp"

namespace reprise::harness::tissue_cases {

// A loaded solver and what it solves.
struct loaded {
  tissue::solver& solver;
  const tissue::problem& problem;
  tissue::method method;
  double dt;
  precision arithmetic;
};

// Steps of a window: one full and one partial launch on small grids, one step where the reference is slow.
long window_steps(const tissue::problem& p, tissue::method how);
// Cells times evaluations of the right-hand side: what the reference's time grows with.
double reference_work(const tissue::problem& p, tissue::method how, double steps);

// A run from the initial state in calls that end where a window begins or ends. Reading the states there is outside
// the clock.
class recorded_run {
 public:
  // In as few calls as the windows allow. Returns the seconds of the steps. The solver is at the problem's initial
  // state.
  double make(const loaded& on, long steps);
  // The same calls from the same state. Keeps the end alone: reading states takes far longer than the steps of a small grid.
  double make_again(tissue::solver& s);
  // In calls as short as those of the verification, with as many windows as the reference can afford. Also keeps the
  // state after the first `begun` steps.
  void make_shortly(const loaded& on, long steps, long begun);
  bool is_made() const { return !states_.empty(); }
  const tissue::problem& problem() const { return problem_; }
  double dt() const { return dt_; }
  // The state at the end of the run that was made last.
  const reference::tissue::state& answer() const { return answer_; }
  // After so many steps, at which a call ended.
  const reference::tissue::state& state_after(long steps) const { return states_.at(steps); }
  // One finding for each window. In a run that diverges, which a search for the largest step needs, the windows after
  // the divergence are left out; the first window always remains.
  std::vector<checkers::finding> judge() const;
  // Whether the last run ended as the first one did, whose windows are judged.
  checkers::finding judge_again() const;
  // Repeats the run in short calls, or a part of it where it is long. The solver is loaded with the run's problem,
  // before and afterwards.
  checkers::finding judge_calls(tissue::solver& s) const;

 private:
  window repeated_part() const;
  // Calls end at the windows' borders and after `ends`, of which the last is the run's.
  double record(const loaded& on, std::vector<window> windows, const std::vector<long>& ends,
                long longest_call);
  // Makes the run's calls, with `then` after each. Returns the seconds of the steps.
  double make_calls(tissue::solver& s, const std::function<void(reference::tissue::state& kept)>& then);

  tissue::problem problem_;
  tissue::method method_{};
  double dt_{};
  precision arithmetic_{};
  long longest_call_{};
  std::vector<window> windows_;
  std::map<long, reference::tissue::state> states_;  // by the steps before
  reference::tissue::state answer_;
};

// Judges runs like the sample that has just ended, each of `steps` in one call from the initial state.
std::vector<checkers::finding> judge_calls(const loaded& on, long steps);

// The whole run against the reference, if that takes no longer than a sample; otherwise nothing.
std::vector<checkers::finding> judge_whole(const tissue::problem& p, tissue::method how, double dt,
                                           long steps, const reference::tissue::state& answer,
                                           precision arithmetic);

}  // namespace reprise::harness::tissue_cases
