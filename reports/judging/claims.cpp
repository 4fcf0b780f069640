// SPDX-License-Identifier: MIT
// Reads claims and rejects those that cannot be judged.
#include "reports/judging/claims.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "reports/judging/derived.hpp"
#include "reports/store/named_records.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 5> class_names{"conclusion", "number", "arithmetic", "shown",
                                                      "beyond"};

claim_class to_class(const std::string& text, const csv::place& at) {
  const auto found = std::ranges::find(class_names, text);
  if (found == class_names.end())
    throw at.complaint("class \"{}\" is none of {}", text, fmt::join(class_names, ", "));
  return static_cast<claim_class>(found - class_names.begin());
}

std::optional<bound> to_bound(const std::string& kind, const bounds& known, const csv::place& at) {
  if (kind.empty()) return std::nullopt;
  const auto found = known.find(kind);
  if (found == known.end())
    throw at.complaint("the bound \"{}\" is not in {}; add it there with its reason", kind, bounds_name);
  return found->second;
}

std::optional<verdict> to_otherwise(const std::string& text, const csv::place& at) {
  if (text.empty()) return std::nullopt;
  for (const auto v : all_verdicts)
    if (to_string(v) == text) return v;
  throw at.complaint("\"{}\" is no verdict; the verdicts are {}", text, fmt::join(verdict_names, ", "));
}

// "LABEL: EXPRESSION"; a label has letters, digits, blanks and hyphens only.
claim_part to_part(std::string_view text, const csv::place& at) {
  const auto colon = text.find(": ");
  const auto is_in_label = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '-';
  };
  const bool has_label =
      colon != std::string_view::npos && std::ranges::all_of(text.substr(0, colon), is_in_label);
  const auto label = has_label ? text.substr(0, colon) : std::string_view();
  if (has_label) text.remove_prefix(colon + 2);
  return {std::string(label), parse_quantity(std::string(text), at)};
}

std::vector<claim_part> to_parts(std::string_view text, const csv::place& at) {
  constexpr std::string_view separator = " | ";
  std::vector<claim_part> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(to_part(text.substr(0, end), at));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + separator.size());
  }
  if (parts.size() > 1 && std::ranges::any_of(parts, [](const auto& p) { return p.label.empty(); }))
    throw at.complaint("each of several parts needs a label, like \"Karma: {{...}}\"");
  return parts;
}

bool is_one_of(const std::optional<verdict>& v, std::initializer_list<verdict> allowed) {
  return v && std::ranges::find(allowed, *v) != allowed.end();
}

// The verdicts that a claim of this class may have if it is not true.
void require_otherwise(const claim& c) {
  const bool is_right =
      c.kind == claim_class::conclusion ? is_one_of(c.otherwise, {verdict::no_longer, verdict::never_did})
      : c.kind == claim_class::arithmetic
          ? is_one_of(c.otherwise, {verdict::misprint, verdict::contradiction, verdict::our_reading})
          : !c.otherwise;
  if (is_right) return;
  throw c.at.complaint(
      "has the wrong verdict in otherwise: a conclusion needs \"no longer\" or \"never did\", arithmetic "
      "needs "
      "\"misprint\", \"contradiction\" or \"our reading\", and other classes none");
}

void require_bounds(const claim& c) {
  if (c.kind == claim_class::shown) {
    if (c.limit) throw c.at.complaint("is only shown and has no bound");
    return;
  }
  if (!c.limit) throw c.at.complaint("can have no verdict; name a bound");
  if (c.partly && c.kind != claim_class::conclusion)
    throw c.at.complaint("has a second bound, which only a conclusion may have");
  for (const auto& b : {c.limit, c.partly}) {
    if (b && b->needs_published() && std::isnan(c.published))
      throw c.at.complaint("has the bound \"{}\", which needs a published number", b->id);
  }
}

void require_judgeable(const claim& c) {
  if (std::isinf(c.published)) throw c.at.complaint("has a published number that is infinite; correct it");
  if (c.headline != 0 && c.kind != claim_class::conclusion)
    throw c.at.complaint("is a headline and no conclusion");
  require_bounds(c);
  require_otherwise(c);
  for (const auto& p : c.parts) {
    for (const auto& s : p.expression.selectors) {
      if (s.published == (c.kind == claim_class::arithmetic)) continue;
      if (s.published) continue;  // a measured number may be compared with a published one
      throw c.at.complaint("{{{}}} of the paper's arithmetic needs source=published", s.text);
    }
  }
}

claim to_claim(const csv::record<claim_columns.size()>& from, const bounds& known, const csv::place& at) {
  const auto& f = from.fields;
  claim c;
  c.id = f[0];
  c.headline = csv::to_count(f[1], "headline", at);
  c.place = f[2];
  c.text = f[3];
  c.kind = to_class(f[4], at);
  c.quantity_text = f[5];
  c.parts = to_parts(f[5], at);
  c.published = csv::to_number(f[6], "published", at);
  if (std::isfinite(c.published)) c.half_digit = half_unit_of(f[6]);
  c.unit = f[7];
  c.limit = to_bound(f[8], known, at);
  c.partly = to_bound(f[9], known, at);
  c.otherwise = to_otherwise(f[10], at);
  c.decided_by = f[11];
  c.reason = parse_remark(f[12], at);
  c.at = at;
  require_judgeable(c);
  return c;
}

}  // namespace

std::string_view to_string(claim_class c) {
  return class_names.at(static_cast<std::size_t>(c));
}

std::vector<claim> read_claims(const std::filesystem::path& file, const bounds& known) {
  auto claims = read_named(file, claim_columns, [&](const auto& record, const csv::place& at) {
    return to_claim(record, known, at);
  });
  std::set<int> headlines;
  for (const auto& c : claims) {
    if (c.headline < 0 || (c.headline > 0 && !headlines.insert(c.headline).second))
      throw c.at.complaint("headline {} is not a new number from 1 up", c.headline);
  }
  return claims;
}

}  // namespace reprise::reports
