// SPDX-License-Identifier: MIT
// What a run says while it goes on, and the ways to show it: lines for logs, events for programs, a screen for people.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string>

#include "reports/store/row.hpp"

namespace reprise::harness {

struct run_outcome {
  int measured{};
  int skipped{};
  int failed{};
};

// How far the run is. Roofs count as steps.
struct run_position {
  std::size_t done{}, total{};
  double eta_seconds{};
  std::size_t done_of_experiment{}, total_of_experiment{};  // of the step's experiment; 0 for roofs
  bool may_grow{};  // whether a plan may still choose more cases of the experiment
};

struct case_report {
  // - measured: now
  // - reused: an earlier experiment of this run measured it
  // - resumed: it was in the folder already
  enum class origin { measured, reused, resumed };

  std::string label;                // "jacobi/table1 cuda_2d@512x1024 cuda:0"
  std::string said;                 // the result for people; empty if the same was said before of the variant
  reports::row first;               // the time, or the reason why there is none
  double share{reports::no_value};  // per cent of the roof that binds
  std::string roof{};               // "shared memory"
  origin from{origin::measured};
};

// What to add to the result of a case that was not measured now: " (already there)".
std::string note_on(case_report::origin from);

// Is told of a run's events, all of them between measurements.
class progress {
 public:
  virtual ~progress() = default;
  virtual void begin(const std::filesystem::path& /*folder*/, std::size_t /*steps*/) {}
  virtual void note(const std::string& text) = 0;  // whole lines: the plan, or that nothing is left to do
  virtual void start(const std::string& /*label*/) {}
  // Something else than a case was done: roofs, the check of the problems.
  virtual void finish(const std::string& label, const std::string& said, const run_position& now) = 0;
  virtual void finish(const case_report& report, const run_position& now) = 0;
  virtual void end(const run_outcome& /*counts*/) {}
};

// One line for each step, "[ 12/40] eta 34 s  LABEL: RESULT".
std::unique_ptr<progress> line_progress(std::ostream& out);

// One JSON object a line, as events.schema.json says.
std::unique_ptr<progress> event_progress(std::ostream& out);

}  // namespace reprise::harness
