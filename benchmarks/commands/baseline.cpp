// SPDX-License-Identifier: MIT
// Reads a run and writes or checks a baseline.
#include "benchmarks/commands/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "reports/accuracy/text.hpp"
#include "reports/store/files.hpp"
#include "reports/store/run.hpp"

namespace reprise::benchmarks {

void save_baseline(const baseline_request& request, std::ostream& out) {
  const auto run = reports::read_run(request.run);
  const auto entries = reports::make_baseline(run);
  reports::write_text(request.file, reports::to_csv(entries));
  const auto unknown = reports::unknown_metrics(run);
  if (!unknown.empty()) {
    out << fmt::format("of unknown kind, so not in the baseline: {}\n", fmt::join(unknown, ", "));
  }
  out << fmt::format("{} numbers in {}\n", entries.size(), request.file.string());
}

outcome check_baseline(const baseline_request& request, std::ostream& out) {
  const auto baseline = reports::read_baseline(request.file);
  const auto run = reports::read_run(request.run);
  reports::require_finished(run);
  for (const auto& reservation : reports::reservations_about(run)) out << reservation << '\n';
  const auto results = reports::check_baseline(baseline, run);
  out << reports::to_text(results);
  if (!request.junit.empty())
    reports::write_text(request.junit, reports::to_junit(results, {request.file, run}));
  const auto is_worse = [](const auto& f) { return reports::is_regression(f.outcome); };
  return std::ranges::any_of(results, is_worse) ? outcome::wrong : outcome::good;
}

}  // namespace reprise::benchmarks
