// SPDX-License-Identifier: MIT
// Makes a baseline from a run, and checks a run against one.
#include "reports/accuracy/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "reports/store/csv.hpp"
#include "reports/store/files.hpp"
#include "reports/store/refusal.hpp"

namespace reprise::reports {
namespace {

std::string backend_of(std::string_view device) {
  return std::string(device.substr(0, device.find(':')));
}

baseline_entry entry_of(const row& r) {
  baseline_entry e{r, r.value, r.unit};
  e.device = backend_of(r.device);
  return e;
}

bool is_of_accuracy(const row& r) {
  return r.status == "ok" && kind_of(r.metric).has_value();
}

// All values of a run, by the entry that they belong to.
using numbers = std::map<number_id, std::vector<baseline_entry>>;

numbers numbers_of(const run& from) {
  numbers all;
  for (const auto& r : from.rows) {
    if (!is_of_accuracy(r)) continue;
    const auto e = entry_of(r);
    all[without_experiment(e)].push_back(e);
  }
  return all;
}

struct extent {
  baseline_entry of;
  metric_kind kind{};
  double low{}, high{};
  std::set<std::pair<std::string, std::string>> members;  // variants with their backends
};

// Rounding distances have one value per variant and counts are integers, so neither is
// expected to agree between variants.
bool can_agree(metric_kind kind) {
  return kind == metric_kind::order || kind == metric_kind::error || kind == metric_kind::quantity;
}

void add_agreements(numbers& all) {
  std::map<number_id, extent> extents;
  for (const auto& [key, entries] : all) {
    for (const auto& e : entries) {
      if (!can_agree(kind_in_case(e.metric, e.parameter))) continue;
      auto shared = e;
      shared.variant = fmt::format("{}/*", family_of(e.variant));
      shared.device = "*";
      shared.metric = "agreement of " + e.metric;
      shared.unit = "1";
      auto& x = extents
                    .try_emplace(without_experiment(shared),
                                 extent{shared, kind_in_case(e.metric, e.parameter), e.value, e.value, {}})
                    .first->second;
      // A value that is NaN makes both ends NaN.
      if (!std::isnan(x.low) && !(e.value >= x.low)) x.low = e.value;
      if (!std::isnan(x.high) && !(e.value <= x.high)) x.high = e.value;
      x.members.emplace(e.variant, e.device);
    }
  }
  for (auto& [key, x] : extents) {
    if (x.members.size() < 2) continue;
    const double largest = std::abs(x.low) > std::abs(x.high) ? std::abs(x.low) : std::abs(x.high);
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
  const auto found = std::ranges::find_if(from.rows, [](const row& r) { return r.status == "failed"; });
  return found == from.rows.end() ? nullptr : &*found;
}

// Whether the row belongs to the entry's case, as far as the row's fields are filled in.
bool is_about(const row& r, const baseline_entry& e) {
  const auto same = [](const std::string& text, const std::string& expected) {
    return text.empty() || text == expected;
  };
  // The harness's own rows are about devices and problems, not about a case.
  return family_of(r.experiment) != "harness" && r.variant == e.variant &&
         same(backend_of(r.device), e.device) && same(r.precision, e.precision) && same(r.size, e.size) &&
         (r.parameter.empty() || e.parameter.starts_with(r.parameter));
}

const row* row_about(const run& from, const baseline_entry& e, std::string_view status) {
  const auto found =
      std::ranges::find_if(from.rows, [&](const row& r) { return r.status == status && is_about(r, e); });
  return found == from.rows.end() ? nullptr : &*found;
}

baseline_outcome judged(const baseline_entry& expected, double actual, double allowed) {
  if (!std::isfinite(actual)) return baseline_outcome::worse;
  if (std::abs(actual - expected.value) <= allowed) return baseline_outcome::held;
  const auto& a = allowance_of(kind_in_case(expected.metric, expected.parameter));
  const bool is_better = actual < expected.value ? a.may_be_lower : a.may_be_higher;
  return is_better ? baseline_outcome::better : baseline_outcome::worse;
}

// The reason why the variant never ran on this backend; null if it did run. Needed for values computed from
// several cases, such as an order, which have no skipped row of their own.
const std::string* why_never_run(const run& from, const baseline_entry& e) {
  const std::string* reason = nullptr;
  for (const auto& r : from.rows) {
    if (r.variant != e.variant || (!r.device.empty() && backend_of(r.device) != e.device)) continue;
    if (r.status != "skipped") return nullptr;
    reason = &r.reason.str();
  }
  return reason;
}

bool has_backend(const run& from, std::string_view backend) {
  return std::ranges::any_of(from.rows, [&](const row& r) {
    return r.status != "skipped" && !r.device.empty() && backend_of(r.device) == backend;
  });
}

baseline_result without_number(const baseline_entry& expected, const run& against) {
  baseline_result f{expected, no_value, no_value, baseline_outcome::missing, "the run has no such number"};
  if (kind_of(expected.metric) == metric_kind::agreement) {
    // The variants that did not run are reported by their own entries.
    f.outcome = baseline_outcome::not_run;
    f.reason = "fewer than two variants ran";
  } else if (const auto* failed = row_about(against, expected, "failed"); failed != nullptr) {
    f.outcome = baseline_outcome::wrong;
    f.reason = failed->reason;
  } else if (const auto* skipped = row_about(against, expected, "skipped"); skipped != nullptr) {
    f.outcome = baseline_outcome::not_run;
    f.reason = skipped->reason;
  } else if (!was_requested(against, expected.experiment)) {
    f.outcome = baseline_outcome::not_run;
    f.reason = "of experiments that the run was not asked for";
  } else if (const auto* reason = why_never_run(against, expected); reason != nullptr) {
    f.outcome = baseline_outcome::not_run;
    f.reason = *reason;
  } else if (!has_backend(against, expected.device)) {
    f.outcome = baseline_outcome::not_run;
    f.reason = fmt::format("the run has no {} device", expected.device);
  }
  return f;
}

// A decision that goes the other way rejects a step more or less: as many may as of all attempts, which are more than those
// that are rejected. 0 if the attempts are not known.
double attempts_of_case(const baseline_entry& e, const numbers& actual) {
  auto attempts = e;
  attempts.metric = "attempted_steps";
  const auto found = actual.find(without_experiment(attempts));
  return e.metric != "rejected_steps" || found == actual.end() ? 0 : found->second.front().value;
}

baseline_result check(const baseline_entry& expected, const std::vector<baseline_entry>& entries,
                      double attempts) {
  const auto kind = kind_in_case(expected.metric, expected.parameter);
  const double allowed =
      allowed_distance(kind, expected.precision, std::max(std::abs(expected.value), attempts));
  const auto distance = [&](const baseline_entry& e) {
    return std::isfinite(e.value) ? std::abs(e.value - expected.value)
                                  : std::numeric_limits<double>::infinity();
  };
  const baseline_entry* furthest = &entries.front();
  for (const auto& e : entries)
    if (distance(e) > distance(*furthest)) furthest = &e;
  return {expected, furthest->value, allowed, judged(expected, furthest->value, allowed),
          std::string(allowance_of(kind).reason)};
}

// Adds wrong answers in cases that the baseline does not contain, such as those of a new variant.
void add_unknown_wrong(std::vector<baseline_result>& results, const run& against) {
  for (const auto& r : against.rows) {
    if (r.status != "failed") continue;
    const bool is_known = std::ranges::any_of(results, [&](const baseline_result& f) {
      return f.outcome == baseline_outcome::wrong && is_about(r, f.expected);
    });
    if (!is_known) results.push_back({entry_of(r), no_value, no_value, baseline_outcome::wrong, r.reason});
  }
}

// Two experiments that give one case two values compute different things under one name.
void require_one_value(const run& from, const std::vector<baseline_entry>& same) {
  const baseline_entry& first = same.front();
  for (const baseline_entry& e : same) {
    const auto found = check(first, {e}, 0);
    if (found.outcome == baseline_outcome::held) continue;
    refuse_file(
        from.folder,
        "{} of {} {} is {:.6g} in {} and {:.6g} in {}: one of the cases needs a parameter that tells them "
        "apart",
        e.metric, e.variant, e.parameter, first.value, first.experiment, e.value, e.experiment);
  }
}

}  // namespace

void require_finished(const run& r) {
  if (is_finished(r)) return;
  refuse_file(r.folder,
              "is not finished, so numbers are missing that it may still get; finish it with `reprise run "
              "--resume --out {}`",
              r.folder.string());
}

std::vector<baseline_entry> make_baseline(const run& from) {
  require_finished(from);
  if (has_changed_sources(from))
    refuse_file(
        from.folder,
        "its program was built from changed sources ({}), so no commit stands for the numbers; commit, "
        "build and run again",
        text_of(*from.description, "git"));
  if (const auto* wrong = first_wrong(from); wrong != nullptr)
    refuse_file(from.folder, "{} has a wrong answer ({}); a baseline would hold it for right", wrong->variant,
                wrong->reason);
  std::vector<baseline_entry> entries;
  for (const auto& [key, same] : all_numbers_of(from)) {
    if (!std::ranges::all_of(same, [](const auto& e) { return std::isfinite(e.value); })) continue;
    require_one_value(from, same);
    entries.push_back(same.front());
  }
  if (entries.empty())
    refuse_file(from.folder,
                "has no order, error, count or quantity to hold; run experiments that have some");
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
    // Six digits are more precise than any allowance, and rarely change from one save to the next.
    text += csv_fields(e) + ',' + csv::fields(fmt::format("{:.6g}", e.value), e.unit);
  }
  return text;
}

std::vector<baseline_entry> read_baseline(const std::filesystem::path& file) {
  std::vector<baseline_entry> entries;
  std::set<number_id> known;
  for (const auto& record : csv::parse(file, read_text(file), baseline_columns)) {
    const csv::place at{file, record.line};
    const auto& f = record.fields;
    entries.push_back({number_in(f), csv::to_number(f[7], "value", at), f[8]});
    const auto& e = entries.back();
    if (!std::isfinite(e.value)) throw at.complaint("has no finite value; save the baseline anew");
    if (!kind_of(e.metric))
      throw at.complaint("\"{}\" is no metric that a baseline can hold; remove the line", e.metric);
    if (!known.insert(without_experiment(e)).second)
      throw at.complaint("is there already; remove one of the lines");
  }
  if (entries.empty()) refuse_file(file, "holds nothing; save the baseline anew");
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

std::vector<baseline_result> check_baseline(std::span<const baseline_entry> baseline, const run& against) {
  const auto actual = all_numbers_of(against);
  std::vector<baseline_result> results;
  bool has_any = false;
  for (const auto& e : baseline) {
    const auto same = actual.find(without_experiment(e));
    has_any = has_any || same != actual.end();
    results.push_back(same != actual.end() ? check(e, same->second, attempts_of_case(e, actual))
                                           : without_number(e, against));
  }
  if (!has_any && first_wrong(against) == nullptr)
    refuse_file(against.folder,
                "has no number of the baseline; check a run of the preset, experiments and sizes that it was "
                "saved from");
  add_unknown_wrong(results, against);
  return results;
}

}  // namespace reprise::reports
