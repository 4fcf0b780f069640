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
      own_numbers_.insert(s);
      own_cases_.insert(s);
      numbers_.try_emplace(without_experiment(s), s);
      cases_.try_emplace(without_experiment(s), s);
    }
  }

  // The case that has the number's samples or else, as of a rate, those of the time that it was computed from.
  case_id holder_of(const number_id& id) const {
    if (own_numbers_.contains(id)) return id;
    if (const auto found = numbers_.find(without_experiment(id)); found != numbers_.end())
      return found->second;
    if (own_cases_.contains(id)) return id;
    const auto found = cases_.find(without_experiment(id));
    return found == cases_.end() ? case_id(id) : found->second;
  }

 private:
  std::unordered_set<number_id> own_numbers_;
  std::unordered_set<case_id> own_cases_;
  std::unordered_map<number_id, case_id> numbers_;
  std::unordered_map<case_id, case_id> cases_;  // by the case without its experiment
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
