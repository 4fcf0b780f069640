// SPDX-License-Identifier: MIT
// The claims of a paper as data, and our own.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/judging/bounds.hpp"
#include "reports/judging/quantity.hpp"
#include "reports/judging/remark.hpp"
#include "reports/judging/verdicts.hpp"
#include "reports/store/row.hpp"

namespace reprise::reports {

// - conclusion: a sentence of the paper about the world: who wins, by how much, which order
// - number: a printed cell that a right program has to find on any machine
// - arithmetic: two places of the paper compared with each other
// - shown: seconds and rates of the paper's hardware, which are never judged
// - beyond: a statement of ours that no paper makes
enum class claim_class { conclusion, number, arithmetic, shown, beyond };
constexpr std::array<claim_class, 5> all_classes{claim_class::conclusion, claim_class::number,
                                                 claim_class::arithmetic, claim_class::shown,
                                                 claim_class::beyond};
std::string_view to_string(claim_class c);

// One number that has to lie within the claim's bound. A claim of several parts holds if all of them do.
struct claim_part {
  std::string label;  // empty for the only part
  quantity expression;
};

struct claim {
  std::string id, place, text;
  int headline{};  // its place among the paper's headlines, from 1; 0 for the other claims
  claim_class kind{};
  std::string quantity_text;  // all parts, as written
  std::vector<claim_part> parts;
  double published{no_value};
  double half_digit{};  // half a unit of the published number's last digit
  std::string unit;
  std::optional<bound> limit, partly;  // partly: what a conclusion that misses `limit` may still satisfy
  std::optional<verdict> otherwise;    // the verdict if neither is satisfied
  std::string decided_by;              // the commands that measure what the claim needs
  remark reason;
  csv::place at;

  range limits() const { return limit->around(published, half_digit); }
  range partly_limits() const { return partly->around(published, half_digit); }
};

constexpr std::array<std::string_view, 13> claim_columns{
    "id",   "headline", "place",  "claim",     "class",      "quantity", "published",
    "unit", "bound",    "partly", "otherwise", "decided_by", "reason"};

// Throws bad_input with file and line for a claim that cannot be judged.
std::vector<claim> read_claims(const std::filesystem::path& file, const bounds& known);

}  // namespace reprise::reports
