// SPDX-License-Identifier: MIT
// An accuracy baseline: the orders, errors, counts and quantities of a run, without its times, small enough
// to be kept under version control, and what a later run has to say to it.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/baseline_kinds.hpp"
#include "reports/row.hpp"
#include "reports/run_folder.hpp"

namespace reprise::reports {

struct baseline_entry {
  std::string experiment;  // the first that has the case; it is the same in every other
  // A device is known by its backend, "opencl" of
  // "opencl:0", so that a baseline holds on other machines. An agreement is one of "tissue/*" on "*".
  std::string variant, backend, precision, size, parameter, metric;
  double value{no_value};
  std::string unit;
};

constexpr std::array<std::string_view, 9> baseline_columns{
    "experiment", "variant", "backend", "precision", "size", "parameter", "metric", "value", "unit"};

// Throws bad_input for a run that no baseline can be made of: interrupted, with a wrong answer, or without a
// number that says how right an answer is.
std::vector<baseline_entry> make_baseline(const run& from);

// Metrics of the run that are of no kind and not left out on purpose either.
std::vector<std::string> unknown_metrics(const run& from);

std::string to_csv(std::span<const baseline_entry> entries);

// Throws bad_input with file and line; an entry given twice, without a number, or of a metric that has no
// kind among it.
std::vector<baseline_entry> read_baseline(const std::filesystem::path& file);

// held       within its allowance
// better     outside of it, on the good side
// worse      outside of it
// wrong      the run's answer was wrong
// missing    the run has no such number and no reason why
// not_run    skipped in the run, with a reason, or of an experiment that the run was not asked for
enum class baseline_outcome { held, better, worse, wrong, missing, not_run };
std::string_view to_string(baseline_outcome outcome);
bool is_regression(baseline_outcome outcome);

struct baseline_finding {
  baseline_entry expected;
  double found{no_value};
  double allowed{no_value};
  baseline_outcome outcome{};
  std::string reason;  // of the allowance, or why there is no number
};

// One finding for each entry and one for each wrong answer that no entry knows of. Where a run has several
// devices of a backend, the one furthest from the entry counts. Throws bad_input where the run has nothing of
// the baseline at all.
std::vector<baseline_finding> check_baseline(std::span<const baseline_entry> baseline, const run& against);

// What is not held, as text for a terminal, with a line that counts.
std::string to_text(std::span<const baseline_finding> findings);

// JUnit's XML as CI systems read it: a suite for each paper, a case for each entry.
std::string to_junit(std::span<const baseline_finding> findings);

}  // namespace reprise::reports
