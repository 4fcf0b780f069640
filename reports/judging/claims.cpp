// SPDX-License-Identifier: MIT
// Reads claims, rejects those that cannot be judged, and judges the others: finds the rows that a quantity
// selects, evaluates it, and compares.
#include "reports/judging/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "reports/store/named_records.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 4> class_names{"invariant", "shape", "absolute", "internal"};
constexpr std::array<std::string_view, 6> verdict_names{"reproduced",     "same shape",   "differs",
                                                        "paper conflict", "not run here", "shown"};

claim_class to_class(const std::string& text, const csv::place& at) {
  const auto found = std::ranges::find(class_names, text);
  if (found == class_names.end())
    throw at.complaint("class \"{}\" is none of {}", text, fmt::join(class_names, ", "));
  return static_cast<claim_class>(found - class_names.begin());
}

std::optional<tolerance> to_tolerance(std::string_view text, const csv::place& at) {
  if (text.empty()) return std::nullopt;
  tolerance t;
  t.is_relative = text.back() == '%';
  if (t.is_relative) text.remove_suffix(1);
  t.amount = csv::to_number(text, "tolerance", at) / (t.is_relative ? 100 : 1);
  if (!(t.amount >= 0) || std::isinf(t.amount))
    throw at.complaint("the tolerance is no number from 0 up, like 0.01 or 5%");
  return t;
}

std::optional<shape_condition> to_shape(std::string_view text, const csv::place& at) {
  if (text.empty()) return std::nullopt;
  shape_condition s;
  if (const auto dots = text.find(".."); dots != std::string_view::npos) {
    s.low = csv::to_number(text.substr(0, dots), "shape", at);
    s.high = csv::to_number(text.substr(dots + 2), "shape", at);
    if (!(s.low <= s.high)) throw at.complaint("the shape is no range from low to high, like 1.2..3");
    return s;
  }
  const bool is_lower = text.front() == '>';
  if (!is_lower && text.front() != '<') throw at.complaint("the shape is none of >1, <=1.05, 1.2..3");
  const bool excludes = text.size() < 2 || text[1] != '=';
  (is_lower ? s.low : s.high) = csv::to_number(text.substr(excludes ? 1 : 2), "shape", at);
  (is_lower ? s.excludes_low : s.excludes_high) = excludes;
  if (std::isnan(s.low) || std::isnan(s.high)) throw at.complaint("the shape has no number, like >1");
  return s;
}

void require_judgeable(const claim& c) {
  if (std::isinf(c.published)) throw c.at.complaint("has a published number that is infinite; correct it");
  if (c.allowed && std::isnan(c.published)) throw c.at.complaint("has a tolerance but no published number");
  if (c.kind == claim_class::shape && !c.shape)
    throw c.at.complaint("is a shape without a condition, like >1");
  if (c.kind != claim_class::absolute && !c.allowed && !c.shape)
    throw c.at.complaint("can have no verdict; give a tolerance and a published number, or a shape");
  if (c.kind == claim_class::internal) {
    for (const auto& s : c.expression.selectors) {
      if (s.published) continue;
      throw c.at.complaint("{{{}}} of an internal claim needs source=published", s.text);
    }
  }
}

claim to_claim(const csv::record<claim_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  claim c{f[0],
          f[1],
          f[2],
          to_class(f[3], at),
          parse_quantity(f[4], at),
          csv::to_number(f[5], "published", at),
          f[6],
          to_tolerance(f[7], at),
          to_shape(f[8], at),
          f[9],
          at};
  require_judgeable(c);
  return c;
}

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

std::string_view to_string(claim_class c) {
  return class_names.at(static_cast<std::size_t>(c));
}

std::string_view to_string(verdict v) {
  return verdict_names.at(static_cast<std::size_t>(v));
}

bool tolerance::accepts(double measured, double published) const {
  // Accepts values at the very edge, even if the subtraction rounds outwards.
  constexpr double slack = 1 + 1e-9;
  return std::abs(measured - published) <= amount * (is_relative ? std::abs(published) : 1) * slack;
}

bool shape_condition::accepts(double measured) const {
  return (excludes_low ? measured > low : measured >= low) &&
         (excludes_high ? measured < high : measured <= high);
}

std::vector<claim> read_claims(const std::filesystem::path& file) {
  return read_named(file, claim_columns, to_claim);
}

judgement judge(const claim& c, const evidence& known) {
  judgement result;
  std::vector<std::vector<double>> numbers;
  std::string missing;
  std::unordered_set<std::string> keys;
  for (const auto& s : c.expression.selectors) {
    const auto chosen = select(s, known);
    if (chosen.empty() && s.published)
      throw c.at.complaint("{{{}}} selects no published row; correct the selector", s.text);
    if (chosen.empty()) missing += (missing.empty() ? "" : "; ") + why_nothing(s, known);
    auto& values = numbers.emplace_back();
    for (const auto& one : chosen) {
      values.push_back(one.data->value);
      auto key = basis_key(one, known);
      if (!keys.insert(key).second) continue;
      result.basis.push_back(std::move(key));
      result.rows.push_back(one.data);
    }
  }
  if (!missing.empty()) {
    result.outcome = verdict::not_run_here;
    result.reason = missing;
    return result;
  }
  // A maximum or a quotient may hide a number that is not finite; no quantity rests on one.
  const bool is_sound = std::ranges::all_of(numbers, [](const std::vector<double>& values) {
    return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  });
  result.measured = is_sound ? c.expression.evaluate(numbers, c.at) : no_value;
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
