// SPDX-License-Identifier: MIT
// Reads a run, and writes or checks a baseline.
#include "benchmarks/baseline_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "reports/baseline.hpp"
#include "reports/files.hpp"
#include "reports/run_folder.hpp"

namespace reprise::benchmarks {

void save_baseline(const baseline_request& request, std::ostream& out) {
  const auto run = reports::read_run(request.run);
  const auto entries = reports::make_baseline(run);
  reports::write_text(request.file, reports::to_csv(entries));
  const auto unknown = reports::unknown_metrics(run);
  if (!unknown.empty()) {
    out << fmt::format("of no known kind and not in the baseline: {}\n", fmt::join(unknown, ", "));
  }
  out << fmt::format("{} numbers in {}\n", entries.size(), request.file.string());
}

bool check_baseline(const baseline_request& request, std::ostream& out) {
  const auto baseline = reports::read_baseline(request.file);
  const auto run = reports::read_run(request.run);
  for (const auto& warning : run.warnings) out << warning << '\n';
  const auto findings = reports::check_baseline(baseline, run);
  out << reports::to_text(findings);
  if (!request.junit.empty()) reports::write_text(request.junit, reports::to_junit(findings));
  return std::none_of(findings.begin(), findings.end(),
                      [](const auto& f) { return reports::is_regression(f.outcome); });
}

}  // namespace reprise::benchmarks
