// SPDX-License-Identifier: MIT
// Reads a family's claims and judges them.
#include "reports/judging/assessment.hpp"

#include <algorithm>
#include <iterator>

#include "reports/store/files.hpp"

namespace reprise::reports {

std::string usual_metric(const family_layout& family) {
  if (!family.metric.empty() || family.items.empty() || family.items.front().metrics.empty())
    return family.metric;
  return family.items.front().metrics.front();
}

std::filesystem::path file_of(const std::filesystem::path& folder, const family_layout& family) {
  return folder / (safe_name(family.word) + ".csv");
}

std::vector<claim> claims_of(const std::filesystem::path& claims_dir, const family_layout& family) {
  const auto known = read_bounds(claims_dir / bounds_name);
  auto claims = read_claims(file_of(claims_dir, family), known);
  const auto ours = file_of(claims_dir / "beyond", family);
  if (!std::filesystem::exists(ours)) return claims;
  std::ranges::move(read_claims(ours, known), std::back_inserter(claims));
  return claims;
}

std::vector<std::size_t> headlines_of(const assessment& all) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.claims.size(); ++i)
    if (all.claims[i].headline > 0) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return all.claims[i].headline; });
  return order;
}

verdict_counts counts_of(const assessment& all, claim_class kind) {
  verdict_counts counts;
  for (std::size_t i = 0; i < all.claims.size(); ++i)
    if (all.claims[i].kind == kind) ++counts[all.judgements[i].outcome];
  return counts;
}

assessment assess(const report_input& from, const family_layout& family, const printed_rows& paper) {
  assessment all;
  all.claims = claims_of(from.claims_dir, family);
  const auto metric = usual_metric(family);
  const evidence known{family.word, metric, from.runs, paper.rows, paper.roundings};
  for (const auto& c : all.claims) all.judgements.push_back(judge(c, known));
  const auto derived = file_of(from.derived_dir, family);
  if (!std::filesystem::exists(derived)) return all;
  all.derived = read_derived(derived);
  for (const auto& cell : all.derived) all.recomputed.push_back(recompute(cell, family.word, metric, paper));
  return all;
}

}  // namespace reprise::reports
