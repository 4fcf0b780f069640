// SPDX-License-Identifier: MIT
// Judges a claim: finds the rows that its quantity selects, evaluates it, and compares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "reports/claims.hpp"

namespace reprise::reports {
namespace {

verdict verdict_on(const claim& c, double measured) {
  if (c.kind == claim_class::absolute) return verdict::shown;
  const auto bad = c.kind == claim_class::internal ? verdict::paper_conflict : verdict::differs;
  if (!std::isfinite(measured)) return bad;
  const bool is_shape = !c.shape || c.shape->accepts(measured);
  const bool is_near = c.allowed && c.allowed->accepts(measured, c.published);
  if (c.kind == claim_class::shape) {
    if (!is_shape) return bad;
    return is_near ? verdict::reproduced : verdict::same_shape;
  }
  return is_shape && (is_near || !c.allowed) ? verdict::reproduced : bad;
}

}  // namespace

judgement judge(const claim& c, const evidence& known) {
  judgement result;
  std::vector<std::vector<double>> numbers;
  std::string missing;
  for (const auto& s : c.what.selectors) {
    const auto chosen = select(s, known);
    if (chosen.empty() && s.published) {
      throw c.at.complaint(fmt::format("{{{}}} selects no published row; correct the selector", s.text));
    }
    if (chosen.empty()) missing += (missing.empty() ? "" : "; ") + why_nothing(s, known);
    auto& values = numbers.emplace_back();
    for (const auto& found : chosen) {
      values.push_back(found.data->value);
      auto key = basis_key(found, known);
      if (std::find(result.basis.begin(), result.basis.end(), key) == result.basis.end()) {
        result.basis.push_back(std::move(key));
        result.rows.push_back(found.data);
      }
    }
  }
  if (!missing.empty()) {
    result.outcome = verdict::not_run_here;
    result.reason = missing;
    return result;
  }
  result.measured = c.what.evaluate(numbers, c.at);
  result.outcome = verdict_on(c, result.measured);
  result.reason =
      std::isfinite(result.measured) ? c.reason : "the quantity is not a finite number; " + c.reason;
  return result;
}

std::map<verdict, std::size_t> count_verdicts(std::span<const judgement> judgements) {
  std::map<verdict, std::size_t> counts;
  for (const auto v : all_verdicts) counts[v] = 0;
  for (const auto& j : judgements) ++counts[j.outcome];
  return counts;
}

}  // namespace reprise::reports
