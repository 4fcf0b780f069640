// SPDX-License-Identifier: MIT
// Reads claims, and refuses those that no verdict could be based on.
#include "reports/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/named_records.hpp"

namespace reprise::reports {
namespace {

constexpr std::array<std::string_view, 4> class_names{"invariant", "shape", "absolute", "internal"};
constexpr std::array<std::string_view, 6> verdict_names{"reproduced",     "same shape",   "differs",
                                                        "paper conflict", "not run here", "shown"};

claim_class to_class(const std::string& text, const csv::place& at) {
  const auto found = std::find(class_names.begin(), class_names.end(), text);
  if (found == class_names.end()) {
    throw at.complaint(fmt::format("class \"{}\" is none of {}", text, fmt::join(class_names, ", ")));
  }
  return static_cast<claim_class>(found - class_names.begin());
}

std::optional<tolerance> to_tolerance(std::string_view text, const csv::place& at) {
  if (text.empty()) return std::nullopt;
  tolerance t;
  t.is_relative = text.back() == '%';
  if (t.is_relative) text.remove_suffix(1);
  t.amount = csv::to_number(text, "tolerance", at) / (t.is_relative ? 100 : 1);
  if (!(t.amount >= 0) || std::isinf(t.amount)) {
    throw at.complaint("the tolerance is no number from 0 up, like 0.01 or 5%");
  }
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
  if (c.kind != claim_class::absolute && !c.allowed && !c.shape) {
    throw c.at.complaint("can have no verdict; give a tolerance and a published number, or a shape");
  }
  if (c.kind == claim_class::internal) {
    for (const auto& s : c.what.selectors) {
      if (s.published) continue;
      throw c.at.complaint(fmt::format("{{{}}} of an internal claim needs source=published", s.text));
    }
  }
}

claim to_claim(const csv::record<claim_columns.size()>& from, const csv::place& at) {
  const auto& f = from.fields;
  claim c;
  c.id = f[0];
  c.place = f[1];
  c.text = f[2];
  c.kind = to_class(f[3], at);
  c.quantity_text = f[4];
  c.what = parse_quantity(f[4], at);
  c.published = csv::to_number(f[5], "published", at);
  c.unit = f[6];
  c.allowed = to_tolerance(f[7], at);
  c.shape = to_shape(f[8], at);
  c.reason = f[9];
  c.at = at;
  require_judgeable(c);
  return c;
}

}  // namespace

std::string_view to_string(claim_class c) {
  return class_names.at(static_cast<std::size_t>(c));
}

std::string_view to_string(verdict v) {
  return verdict_names.at(static_cast<std::size_t>(v));
}

bool tolerance::accepts(double measured, double published) const {
  // A number at the very edge is in, whatever the subtraction rounds to.
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

}  // namespace reprise::reports
