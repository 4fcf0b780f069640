// SPDX-License-Identifier: MIT
// Remembers the rows of a run's cases, so that a case measured for one experiment serves all others that need it.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "reports/store/row.hpp"

namespace reprise::harness {

class known_cases {
 public:
  void remember(const reports::row& r);
  // Whether the case of this experiment has its rows.
  bool is_done(const reports::row& label) const { return done_.contains(label); }
  // Marks it so, without rows that could serve another experiment.
  void finish(const reports::row& label) { done_.insert(label); }

  // Whether an experiment has measured the case.
  bool has(const reports::row& label) const;
  // Its rows, as those of the label's experiment.
  std::vector<reports::row> copies_for(const reports::row& label) const;
  // Another experiment measures the case again.
  void forget(const reports::row& label);

 private:
  std::set<reports::case_id> done_;
  // By case of any experiment, in the order they were measured.
  std::map<reports::case_id, std::vector<reports::row>> measured_;
};

}  // namespace reprise::harness
