// SPDX-License-Identifier: MIT
// Verifies one variant of a family. The problem is the same for all variants, and others are checked where they are timed.
#include "benchmarks/harness/problem_rows.hpp"

#include <fmt/format.h>

namespace reprise::harness {
namespace {

// The first variant of the family that runs on the processor; null with a reason if there is none.
target chosen_target(const family& of, const std::string& device_glob) {
  for (const std::string& name : variants_of(of.word)) {
    const std::string id = of.word + "/" + name;
    if (is_on_ranks(id)) continue;
    for (const target& on : targets_of(id, device_glob, false))
      if (on.variant != nullptr && on.device.kind == backend::cpu) return on;
  }
  return {nullptr, {}, fmt::format("no variant of {} runs on a processor here", of.word)};
}

}  // namespace

reports::row problem_row(const std::string& run, const family& of, const std::string& device_glob) {
  const target on = chosen_target(of, device_glob);
  reports::row row;
  row.experiment = problem_experiment;
  row.variant = on.variant == nullptr ? of.word + "/*" : on.variant->id;
  row.device = on.device.id;
  row.run = run;
  row.metric = "wrong_problems";
  row.status = "skipped";
  row.reason = on.reason;
  if (on.variant == nullptr) return row;
  int problems = 0;
  int wrong = 0;
  std::string first;
  for (const verified_case& c : cases_of(of, on, {})) {
    problems += c.unavailable.empty() ? 1 : 0;
    const std::vector<std::string> complaints = complaints_about(c);
    if (complaints.empty()) continue;
    if (++wrong == 1) first = complaints.front();
  }
  row.value = wrong;
  row.unit = "1";
  row.samples = 1;
  row.status = wrong == 0 && problems > 0 ? "ok" : "failed";
  row.reason = wrong == 0 ? fmt::format("{} problems verified", problems)
                          : fmt::format("{} of {} problems are wrong; {}", wrong, problems, first);
  return row;
}

}  // namespace reprise::harness
