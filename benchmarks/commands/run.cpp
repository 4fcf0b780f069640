// SPDX-License-Identifier: MIT
// Parses the command line's texts, runs the experiments, and prints the numbers of cases.
#include "benchmarks/commands/run.hpp"

#include <fmt/core.h>

#include <iostream>
#include <memory>

#include "benchmarks/harness/budget/plan.hpp"
#include "benchmarks/harness/environment.hpp"
#include "benchmarks/harness/runner.hpp"
#include "benchmarks/harness/screen.hpp"
#include "reports/store/run.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

constexpr double quick_budget_seconds = 180;

// Whether the request leaves it to the program which cases are run.
bool chooses_nothing(const run_request& typed) {
  return !typed.names_experiments && typed.sizes.empty() && typed.settings.empty() &&
         typed.parameters.empty() && typed.choice == harness::case_choice{};
}

double budget_of(const run_request& typed) {
  if (typed.resume || !typed.plan_of.empty() || typed.budget == "none") return 0;
  const bool is_planned = typed.preset == "quick";
  if (typed.budget.empty()) return is_planned && chooses_nothing(typed) ? quick_budget_seconds : 0;
  if (!is_planned)
    throw bad_input("--preset " + typed.preset + " is a fixed list of cases: --budget needs --preset quick");
  return budget::parse_duration(typed.budget);
}

// The request of the run whose plan is measured again, on this machine's devices.
void take_request_of(const std::filesystem::path& run, harness::run_request& request) {
  const std::string device_glob = request.device_glob;
  harness::restore(request, *reports::read_run(run).description);
  request.budget_seconds = 0;
  request.plan_of = std::filesystem::absolute(run);
  request.device_glob = device_glob;
}

harness::run_request parsed(const run_request& typed) {
  harness::run_request request = typed;
  harness::require_device_name(typed.device_glob);
  request.plan.level = harness::parse_preset(typed.preset);
  harness::add_sizes(request, typed.sizes);
  for (const std::string& text : typed.settings)
    if (!request.plan.settings.insert(harness::parse_setting(text)).second)
      throw bad_input("setting '" + text + "' is given twice: give it once");
  if (!typed.parameters.empty()) harness::add_parameters(request, typed.parameters);
  if (!typed.plan_of.empty()) take_request_of(typed.plan_of, request);
  request.budget_seconds = budget_of(typed);
  if (request.out.empty()) request.out = "runs/" + harness::utc_stamp();
  return request;
}

std::string text_of_plan(const harness::run_request& request) {
  const auto steps = harness::steps_of(request);
  const harness::preset level = request.plan.level;
  if (request.budget_seconds <= 0)
    return text_of(budget::cost_of_all(steps, budget::shipped_costs(request.home), level));
  return budget::plan(steps, request.home, level, request.budget_seconds).text();
}

std::unique_ptr<harness::progress> progress_for(const run_request& typed, std::ostream& out) {
  if (typed.as_events) return harness::event_progress(out);
  if (&out == &std::cout && harness::is_screen())
    return harness::screen_progress(out, harness::style_of_terminal);
  return harness::line_progress(out);
}

}  // namespace

outcome run(const run_request& typed, std::ostream& out) {
  const auto request = parsed(typed);
  if (typed.dry_run) {
    out << text_of_plan(request);
    return outcome::good;
  }
  const auto counts = harness::run_experiments(request, *progress_for(typed, out));
  if (!typed.as_events)
    out << fmt::format("{} cases measured, {} skipped, {} failed; rows in {}\n", counts.measured,
                       counts.skipped, counts.failed, request.out.string());
  return outcome_of(counts);
}

}  // namespace reprise::benchmarks
