// SPDX-License-Identifier: MIT
// Parses the command line's texts, runs the experiments, and prints the numbers of cases.
#include "benchmarks/commands/run.hpp"

#include <fmt/core.h>

#include <ostream>

#include "benchmarks/harness/environment.hpp"
#include "benchmarks/harness/runner.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

harness::run_request parsed(const run_request& typed) {
  harness::run_request request = typed;
  harness::require_device_name(typed.device_glob);
  request.plan.level = harness::parse_preset(typed.preset);
  harness::add_sizes(request, typed.sizes);
  for (const std::string& text : typed.settings)
    if (!request.plan.settings.insert(harness::parse_setting(text)).second)
      throw bad_input("setting '" + text + "' is given twice: give it once");
  if (!typed.parameters.empty()) harness::add_parameters(request, typed.parameters);
  if (request.out.empty()) request.out = "runs/" + harness::utc_stamp();
  return request;
}

}  // namespace

outcome run(const run_request& typed, std::ostream& out) {
  const auto request = parsed(typed);
  const auto counts = harness::run_experiments(request, out);
  out << fmt::format("{} cases measured, {} skipped, {} failed; rows in {}\n", counts.measured,
                     counts.skipped, counts.failed, request.out.string());
  return outcome_of(counts);
}

}  // namespace reprise::benchmarks
