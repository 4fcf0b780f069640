// SPDX-License-Identifier: MIT
// What changed between earlier runs and those of a report: verdicts, numbers beyond their intervals, and statuses.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "reports/judging/assessment.hpp"

namespace reprise::reports {

struct changed_verdict {
  std::string word, id, text;
  verdict before{}, after{};
  double value_before{no_value}, value_after{no_value};
  std::string unit;
};

// The same number of the same case on a device of the same name.
struct changed_number {
  number_id of;  // with the device's name
  std::string unit;
  double before{no_value}, after{no_value};
  std::string status_before, status_after;

  // The logarithm of how much larger it became; infinite if one of them has no number.
  double size() const;
};

struct changes {
  std::vector<std::string> against;       // the names of the earlier runs
  std::vector<changed_verdict> verdicts;  // in the claims' order
  std::vector<changed_number> numbers;    // the largest change first
  std::size_t compared{};                 // numbers that both have
  std::size_t cases{};                    // that both timed or failed in, without roofs
  std::vector<std::string> twice;         // runs that stand on both sides

  // Cases that were right and are now wrong.
  std::size_t newly_failed() const;
};

// Numbers changed if their quartiles do not overlap, or if one of them is right and the other is not. Numbers without
// quartiles follow from others, and are not compared. `judged` holds this report's judgements of the families.
changes changes_since(const report_input& before, const report_input& now,
                      std::span<const assessment> judged);

nlohmann::json to_json(const changes& c);
std::string to_csv(const changes& c);
// One line for each changed verdict, and one with the numbers of changes.
std::string to_text(const changes& c);

}  // namespace reprise::reports
