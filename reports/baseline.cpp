// SPDX-License-Identifier: MIT
// Makes a baseline of a run, and holds a run against one.
#include "reports/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "reports/csv.hpp"
#include "reports/files.hpp"
#include "reports/quantity.hpp"
#include "solvers/common/error.hpp"

namespace reprise::reports {
namespace {

std::string backend_of(std::string_view device) {
  return std::string(device.substr(0, device.find(':')));
}

using entry_key = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;

entry_key key_of(const baseline_entry& e) {
  return {e.variant, e.backend, e.precision, e.size, e.parameter, e.metric};
}

baseline_entry entry_of(const row& r) {
  return {r.experiment, r.variant, backend_of(r.device), r.precision, r.size, r.parameter, r.metric,
          r.value,      r.unit};
}

bool is_of_accuracy(const row& r) {
  return r.status == "ok" && std::isfinite(r.value) && kind_of(r.metric).has_value();
}

// All numbers of a run that an entry can be about.
using numbers = std::map<entry_key, std::vector<baseline_entry>>;

numbers numbers_of(const run& from) {
  numbers all;
  for (const auto& r : from.rows) {
    if (!is_of_accuracy(r)) continue;
    const auto e = entry_of(r);
    all[key_of(e)].push_back(e);
  }
  return all;
}

struct extent {
  baseline_entry of;
  metric_kind kind{};
  double low{}, high{};
  std::set<std::pair<std::string, std::string>> members;  // variants with their backends
};

// Distances made of rounding are as many as there are variants, and steps are counted one by one.
bool can_agree(metric_kind kind) {
  return kind == metric_kind::order || kind == metric_kind::error || kind == metric_kind::quantity;
}

void add_agreements(numbers& all) {
  std::map<entry_key, extent> extents;
  for (const auto& [key, found] : all) {
    for (const auto& e : found) {
      if (!can_agree(*kind_of(e.metric))) continue;
      auto shared = e;
      shared.variant = fmt::format("{}/*", family_of(e.variant));
      shared.backend = "*";
      shared.metric = "agreement of " + e.metric;
      shared.unit = "1";
      auto& x = extents.try_emplace(key_of(shared), extent{shared, *kind_of(e.metric), e.value, e.value, {}})
                    .first->second;
      x.low = std::min(x.low, e.value);
      x.high = std::max(x.high, e.value);
      x.members.emplace(e.variant, e.backend);
    }
  }
  for (auto& [key, x] : extents) {
    if (x.members.size() < 2) continue;
    const double largest = std::max(std::abs(x.low), std::abs(x.high));
    x.of.value = (x.high - x.low) / allowed_distance(x.kind, x.of.precision, largest);
    all[key].push_back(x.of);
  }
}

numbers all_numbers_of(const run& from) {
  auto all = numbers_of(from);
  add_agreements(all);
  return all;
}

const row* first_wrong(const run& from) {
  const auto found =
      std::find_if(from.rows.begin(), from.rows.end(), [](const row& r) { return r.status == "failed"; });
  return found == from.rows.end() ? nullptr : &*found;
}

// Whether the row is about the entry's case, as far as it knows its case.
bool is_about(const row& r, const baseline_entry& e) {
  const auto same = [](const std::string& known, const std::string& wanted) {
    return known.empty() || known == wanted;
  };
  return r.variant == e.variant && same(backend_of(r.device), e.backend) && same(r.precision, e.precision) &&
         same(r.size, e.size) && (r.parameter.empty() || e.parameter.starts_with(r.parameter));
}

const row* row_about(const run& from, const baseline_entry& e, std::string_view status) {
  const auto found = std::find_if(from.rows.begin(), from.rows.end(),
                                  [&](const row& r) { return r.status == status && is_about(r, e); });
  return found == from.rows.end() ? nullptr : &*found;
}

baseline_outcome judged(const baseline_entry& expected, double found, double allowed) {
  if (std::abs(found - expected.value) <= allowed) return baseline_outcome::held;
  const auto& a = allowance_of(*kind_of(expected.metric));
  const bool is_better = found < expected.value ? a.may_be_lower : a.may_be_higher;
  return is_better ? baseline_outcome::better : baseline_outcome::worse;
}

// Why the variant has no number of this backend at all; null where it has some. What is computed from several
// cases, such as an order, has no row of its own that could say so.
const std::string* why_never_run(const run& from, const baseline_entry& e) {
  const std::string* reason = nullptr;
  for (const auto& r : from.rows) {
    if (r.variant != e.variant || (!r.device.empty() && backend_of(r.device) != e.backend)) continue;
    if (r.status != "skipped") return nullptr;
    reason = &r.reason;
  }
  return reason;
}

// A run says by shell globs which experiments it was asked for.
bool was_asked_for(const run& r, const std::string& experiment) {
  const auto request = r.description.find("request");
  if (request == r.description.end() || !request->is_object()) return true;
  const auto globs = request->find("experiments");
  if (globs == request->end() || !globs->is_array()) return true;
  return std::any_of(globs->begin(), globs->end(), [&](const nlohmann::json& glob) {
    if (!glob.is_string()) return true;
    const auto pattern = glob.get<std::string>();
    return matches_glob(pattern, experiment) || matches_glob(pattern, short_name(experiment));
  });
}

baseline_finding without_number(const baseline_entry& expected, const run& against) {
  baseline_finding f{expected, no_value, no_value, baseline_outcome::missing, "the run has no such number"};
  if (kind_of(expected.metric) == metric_kind::agreement) {
    // Which of the variants did not run is told of themselves.
    f.outcome = baseline_outcome::not_run;
    f.reason = "fewer than two variants ran";
  } else if (const auto* failed = row_about(against, expected, "failed"); failed != nullptr) {
    f.outcome = baseline_outcome::wrong;
    f.reason = failed->reason;
  } else if (const auto* skipped = row_about(against, expected, "skipped"); skipped != nullptr) {
    f.outcome = baseline_outcome::not_run;
    f.reason = skipped->reason;
  } else if (!was_asked_for(against, expected.experiment)) {
    f.outcome = baseline_outcome::not_run;
    f.reason = "of experiments that the run was not asked for";
  } else if (const auto* reason = why_never_run(against, expected); reason != nullptr) {
    f.outcome = baseline_outcome::not_run;
    f.reason = *reason;
  }
  return f;
}

baseline_finding check(const baseline_entry& expected, const std::vector<baseline_entry>& found) {
  const auto kind = *kind_of(expected.metric);
  const double allowed = allowed_distance(kind, expected.precision, expected.value);
  const auto furthest =
      *std::max_element(found.begin(), found.end(), [&](const baseline_entry& a, const baseline_entry& b) {
        return std::abs(a.value - expected.value) < std::abs(b.value - expected.value);
      });
  return {expected, furthest.value, allowed, judged(expected, furthest.value, allowed),
          std::string(allowance_of(kind).reason)};
}

// Wrong answers in cases that the baseline does not know, such as those of a new variant.
void add_unknown_wrong(std::vector<baseline_finding>& findings, const run& against) {
  for (const auto& r : against.rows) {
    if (r.status != "failed") continue;
    const bool is_known = std::any_of(findings.begin(), findings.end(), [&](const baseline_finding& f) {
      return f.outcome == baseline_outcome::wrong && is_about(r, f.expected);
    });
    if (!is_known) findings.push_back({entry_of(r), no_value, no_value, baseline_outcome::wrong, r.reason});
  }
}

}  // namespace

std::vector<baseline_entry> make_baseline(const run& from) {
  if (text_of(from.description, "finished").empty()) {
    throw bad_input(fmt::format("{}: was interrupted; finish it with `reprise run --resume --out {}`",
                                from.folder.string(), from.folder.string()));
  }
  if (const auto* wrong = first_wrong(from); wrong != nullptr) {
    throw bad_input(fmt::format("{}: {} has a wrong answer ({}); a baseline would hold it for right",
                                from.folder.string(), wrong->variant, wrong->reason));
  }
  std::vector<baseline_entry> entries;
  for (const auto& [key, found] : all_numbers_of(from)) entries.push_back(found.front());
  if (entries.empty()) {
    throw bad_input(
        fmt::format("{}: has no order, error, count or quantity to hold; run experiments that "
                    "have some",
                    from.folder.string()));
  }
  return entries;
}

std::vector<std::string> unknown_metrics(const run& from) {
  std::set<std::string> unknown;
  for (const auto& r : from.rows) {
    if (r.status == "ok" && !kind_of(r.metric) && !is_left_out(r.metric)) unknown.insert(r.metric);
  }
  return {unknown.begin(), unknown.end()};
}

std::string to_csv(std::span<const baseline_entry> entries) {
  auto text = fmt::format("{}\n", fmt::join(baseline_columns, ","));
  for (const auto& e : entries) {
    // Six digits are more than any allowance asks for, and change less from one save to the next.
    text += csv::line({csv::field(e.experiment), csv::field(e.variant), csv::field(e.backend),
                       csv::field(e.precision), csv::field(e.size), csv::field(e.parameter),
                       csv::field(e.metric), fmt::format("{:.6g}", e.value), csv::field(e.unit)});
  }
  return text;
}

std::vector<baseline_entry> read_baseline(const std::filesystem::path& file) {
  std::vector<baseline_entry> entries;
  std::set<entry_key> known;
  for (const auto& record : csv::parse(file, read_text(file), baseline_columns)) {
    const csv::place at{file, record.line};
    const auto& f = record.fields;
    entries.push_back({f[0], f[1], f[2], f[3], f[4], f[5], f[6], csv::to_number(f[7], "value", at), f[8]});
    const auto& e = entries.back();
    if (!std::isfinite(e.value)) throw at.complaint("has no finite value; save the baseline anew");
    if (!kind_of(e.metric)) {
      throw at.complaint(
          fmt::format("\"{}\" is no metric that a baseline can hold; remove the line", e.metric));
    }
    if (!known.insert(key_of(e)).second) throw at.complaint("is there already; remove one of the lines");
  }
  if (entries.empty())
    throw bad_input(fmt::format("{}: holds nothing; save the baseline anew", file.string()));
  return entries;
}

std::string_view to_string(baseline_outcome outcome) {
  constexpr std::array<std::string_view, 6> names{"held", "better", "worse", "wrong", "missing", "not run"};
  return names.at(static_cast<std::size_t>(outcome));
}

bool is_regression(baseline_outcome outcome) {
  return outcome == baseline_outcome::worse || outcome == baseline_outcome::wrong ||
         outcome == baseline_outcome::missing;
}

std::vector<baseline_finding> check_baseline(std::span<const baseline_entry> baseline, const run& against) {
  const auto found = all_numbers_of(against);
  std::vector<baseline_finding> findings;
  bool has_any = false;
  for (const auto& e : baseline) {
    const auto there = found.find(key_of(e));
    has_any = has_any || there != found.end();
    findings.push_back(there != found.end() ? check(e, there->second) : without_number(e, against));
  }
  if (!has_any && first_wrong(against) == nullptr) {
    throw bad_input(
        fmt::format("{}: has no number of the baseline; check a run of the preset, experiments and "
                    "sizes that it was saved from",
                    against.folder.string()));
  }
  add_unknown_wrong(findings, against);
  return findings;
}

}  // namespace reprise::reports
