// SPDX-License-Identifier: MIT
// Finds the case that has a row's samples: its own, or one of an earlier experiment.
#include "reports/page/case_links.hpp"

#include <fmt/format.h>

#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "reports/store/csv.hpp"
#include "reports/store/files.hpp"

namespace reprise::reports {
namespace {

// The cases of a run whose samples were recorded.
class sampled_cases {
 public:
  explicit sampled_cases(const run& r) {
    for (const auto& s : r.samples) {
      if (own_cases_.insert(s).second) cases_.try_emplace(without_experiment(s), s);
    }
    for (const auto& one : r.rows) {
      if (!std::isnan(one.value) && own_cases_.contains(one)) values_.emplace(one, one.value);
    }
  }

  // The case that has the number and its samples or else, as of a rate, those of the time that it was computed from. A case
  // that has another number of this metric is none: an experiment may derive it by its own rule.
  case_id holder_of(const row& r) const {
    if (own_cases_.contains(r)) return r;
    const auto found = cases_.find(without_experiment(r));
    if (found == cases_.end()) return r;
    number_id there = r;
    static_cast<case_id&>(there) = found->second;
    const auto same = values_.find(there);
    return same != values_.end() && same->second == r.value ? found->second : case_id(r);
  }

 private:
  std::unordered_set<case_id> own_cases_;
  std::unordered_map<case_id, case_id> cases_;  // by the case without its experiment
  std::unordered_map<number_id, double> values_;
};

}  // namespace

case_links link_cases(std::span<const run> runs, const std::vector<std::string>& folders) {
  case_links links;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::unordered_map<case_id, std::size_t> numbers;
    for (const auto& r : runs[i].rows) {
      if (!std::isnan(r.value)) numbers.try_emplace(r, numbers.size() + 1);
    }
    const sampled_cases sampled(runs[i]);
    for (const auto& r : runs[i].rows) {
      if (std::isnan(r.value)) continue;
      // Samples without a row of their case have no place on a page.
      auto shown = numbers.find(sampled.holder_of(r));
      if (shown == numbers.end()) shown = numbers.find(r);
      const auto page = safe_name(csv::without_formula(shown->first.experiment));
      links[&r] = fmt::format("rows/{}/cases/{}.html#case-{}", folders[i], page, shown->second);
    }
  }
  return links;
}

}  // namespace reprise::reports
