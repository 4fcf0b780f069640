// SPDX-License-Identifier: MIT
// An accuracy baseline: the orders, errors, counts and quantities of a run, but not its times. It is small
// enough for version control, and later runs are checked against it.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/accuracy/kinds.hpp"
#include "reports/store/row.hpp"
#include "reports/store/run.hpp"

namespace reprise::reports {

// The experiment is the first with this case; the values are the same in all. The backend identifies the
// device ("opencl" for "opencl:0"), so that a baseline is valid on other machines. An agreement between
// variants has the variant "tissue/*" and the device "*".
struct baseline_entry : number_id {
  double value{no_value};
  std::string unit;
};

constexpr std::array<std::string_view, 9> baseline_columns{
    "experiment", "variant", "backend", "precision", "size", "parameter", "metric", "value", "unit"};

// Throws bad_input for a run without its end.
void require_finished(const run& r);

// Throws bad_input for a run without a usable baseline: unfinished, of a program built from changed sources, with a
// wrong answer, or without any accuracy metric.
std::vector<baseline_entry> make_baseline(const run& from);

// Metrics of the run that have no kind and are not left out on purpose.
std::vector<std::string> unknown_metrics(const run& from);

std::string to_csv(std::span<const baseline_entry> entries);

// Throws bad_input with file and line for a repeated entry, an entry without a
// number, or a metric without a kind.
std::vector<baseline_entry> read_baseline(const std::filesystem::path& file);

// - held: within its allowance
// - better: outside of its allowance, in the good direction
// - worse: outside of its allowance, in the bad direction
// - wrong: the run's answer was wrong
// - missing: the run has no such number and gives no reason
// - not_run: skipped in the run with a reason, or in an experiment that was not requested
enum class baseline_outcome { held, better, worse, wrong, missing, not_run };
std::string_view to_string(baseline_outcome outcome);
bool is_regression(baseline_outcome outcome);

struct baseline_result {
  baseline_entry expected;
  double actual{no_value};
  double allowed{no_value};
  baseline_outcome outcome{};
  std::string reason;  // of the allowance, or why there is no number
};

// Returns one result for each entry and one for each wrong answer without an entry. If a run has
// several devices of a backend, the value furthest from the entry counts. Throws bad_input if the run
// contains nothing of the baseline.
std::vector<baseline_result> check_baseline(std::span<const baseline_entry> baseline, const run& against);

}  // namespace reprise::reports
