// SPDX-License-Identifier: MIT
// Checks variants against their references without timing them.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "benchmarks/harness/lost_devices.hpp"
#include "benchmarks/harness/runner.hpp"
#include "solvers/common/device_calls.hpp"
#include "solvers/common/error.hpp"

namespace reprise::harness {
namespace {

// Where not even a solver can be made, that is the one case.
std::vector<verified_case> cases_of(const family& f, const target& on, const verify_request& request) {
  try {
    use(on.where);
    return f.verify(*on.what, on.where, request.sizes);
  } catch (const bad_input&) {
    throw;
  } catch (...) {
    return {verified("to begin", []() -> std::vector<checkers::finding> { throw; })};
  }
}

// One variant on one device against all its problems: a line, and one more for each wrong answer. Returns
// whether all that fit were right.
bool verify_target(const family& f, const target& on, const verify_request& request, std::ostream& out,
                   run_outcome& outcome) {
  const std::string label = fmt::format("{:<33} {:<9} ", on.what->id, on.where.id);
  int good = 0;
  int wrong = 0;
  double worst = 0;
  std::string complaints;
  for (const verified_case& c : cases_of(f, on, request)) {
    if (!c.unavailable.empty()) {
      complaints += fmt::format("    left out: {}: {}\n", c.what, c.unavailable);
    } else if (!c.failure.empty()) {
      ++wrong;
      complaints += fmt::format("    failed: {}: {}\n", c.what, c.failure);
    } else if (checkers::all_good(c.findings)) {
      ++good;
      for (const auto& finding : c.findings) worst = std::max(worst, finding.value / finding.limit);
    } else {
      ++wrong;
      for (const auto& finding : c.findings)
        if (!finding.good())
          complaints += fmt::format("    wrong: {}: {}\n", c.what, checkers::describe(finding));
    }
  }
  if (wrong > 0) {
    ++outcome.failed;
    out << label << fmt::format("wrong  {} of {} problems\n", wrong, good + wrong);
  } else if (good == 0) {
    ++outcome.skipped;
    out << label << "skipped\n";
  } else {
    ++outcome.measured;
    out << label << fmt::format("ok     {} problems, worst error {:.0f} % of its limit\n", good, 100 * worst);
  }
  out << complaints << std::flush;
  return wrong == 0;
}

void skip(const std::string& id, const std::string& reason, std::ostream& out, run_outcome& outcome) {
  ++outcome.skipped;
  out << fmt::format("{:<43} skipped  {}\n", id, reason);
}

}  // namespace

run_outcome verify_variants(const verify_request& request, std::ostream& out) {
  run_outcome outcome;
  for (const std::string& pattern : request.variants)
    if (std::none_of(manifest().begin(), manifest().end(),
                     [&](const manifest_entry& e) { return matches(pattern, e.id); }))
      throw bad_input("no variant is called '" + pattern + "': `reprise list` names them");
  lost_devices lost;
  for (const manifest_entry& entry : manifest()) {
    if (std::none_of(request.variants.begin(), request.variants.end(),
                     [&](const std::string& pattern) { return matches(pattern, entry.id); }))
      continue;
    const std::string id(entry.id);
    const family* const f = find_family(reports::family_of(entry.id));
    for (const target& on : targets_of(entry.id, request.device_glob, true)) {
      if (on.what == nullptr || f == nullptr) {
        skip(id, on.reason, out, outcome);
      } else if (const std::string reason = lost.reason(on.where); !reason.empty()) {
        skip(id, reason, out, outcome);
      } else if (!verify_target(*f, on, request, out, outcome)) {
        lost.ask(on.where);
      }
    }
  }
  return outcome;
}

}  // namespace reprise::harness
