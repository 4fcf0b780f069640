// SPDX-License-Identifier: MIT
// Cases by what they measure, whichever experiment asked for them.
#include "benchmarks/harness/known_cases.hpp"

#include <utility>

namespace reprise::harness {

using reports::row;

void known_cases::remember(const row& r) {
  done_.insert(r);
  const bool is_computed = reports::is_measured(r) && r.samples == 0;  // derived, not measured
  if (r.status != "failed" && !is_computed) measured_[without_experiment(r)].push_back(r);
}

bool known_cases::has(const row& label) const {
  return measured_.contains(without_experiment(label));
}

std::vector<row> known_cases::copies_for(const row& label) const {
  const std::vector<row>& known = measured_.at(without_experiment(label));
  std::vector<row> copies;
  for (row r : known) {
    if (r.experiment != known.front().experiment) break;  // the rows of one experiment are enough
    if (r.status == "ok") r.reason += (r.reason.empty() ? "" : "; ") + ("measured in " + r.experiment);
    r.experiment = label.experiment;
    copies.push_back(std::move(r));
  }
  return copies;
}

void known_cases::forget(const row& label) {
  measured_.erase(without_experiment(label));
}

}  // namespace reprise::harness
