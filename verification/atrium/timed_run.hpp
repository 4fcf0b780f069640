// SPDX-License-Identifier: MIT
// Judges a whole timed run. The run pauses a few times, which changes none of its steps. From the solver's own
// state and step at a pause the reference makes the next attempts, and the solver must have made the same.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "solvers/atrium/variant.hpp"
#include "verification/checkers/finding.hpp"

namespace reprise::verification::atrium {

// A solver between two steps.
struct between_steps {
  reprise::atrium::progress at;
  std::vector<reprise::atrium::cell_state> y;
};

// A few attempts of a run.
struct run_window {
  between_steps before;
  between_steps after;
};

struct watched_run {
  std::vector<run_window> windows;
  long long longest_window{};  // accepted steps; more than were asked for if the solver missed a pause
  between_steps end;
  reprise::atrium::recording recorded;
};

// Runs from t = 0 to t_end by calls of `advance`, which calls that of the solver. `c` records
// every step. The windows are the first steps, steps at three random moments, of which one is in the last tenth,
// the last steps and, where the reference can afford it, all steps. `seed` makes the moments the same each time.
watched_run watch(reprise::atrium::solver& s, const reprise::atrium::problem& p, reprise::atrium::control c,
                  double t_end, std::string_view seed,
                  const std::function<reprise::atrium::progress(double t_end)>& advance);

// Names of what is compared in a window.
struct window_metrics {
  const char* state;
  const char* step;
  const char* count;
};

inline constexpr window_metrics timed_metrics{"timed_work_error", "timed_step_error", "timed_count_error"};

// The reference makes the window's attempts from the state and the step before it.
std::vector<checkers::finding> judge_attempts(const run_window& w, const reprise::atrium::problem& p,
                                              precision arithmetic, const window_metrics& called);

// The initial state, before the first step.
between_steps start_of(const reprise::atrium::problem& p, const reprise::atrium::control& c);

// The worst window for each metric, and the recorded voltages of the windows' ends.
std::vector<checkers::finding> judge(const watched_run& run, const reprise::atrium::problem& p,
                                     precision arithmetic);

// A later run with the same steps, which did not pause.
checkers::finding judge_repeated(const watched_run& run,
                                 const std::vector<reprise::atrium::cell_state>& state,
                                 const reprise::atrium::recording& recorded);

// The activations of a run that reached its end, against those of the reference trajectory.
checkers::finding judge_trajectory(const reprise::atrium::recording& answer,
                                   const reprise::atrium::recording& reference);

// Whether the run's last attempt leaves cells that are none, as the solver says of a step that is too long.
checkers::finding judge_unstable(const reprise::atrium::problem& p, const between_steps& last);

}  // namespace reprise::verification::atrium
