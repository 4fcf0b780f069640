// SPDX-License-Identifier: MIT
// Checks rows and samples. One pass over each, because a run may have a million.
#include "reports/store/soundness.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "reports/store/refusal.hpp"
#include "reports/store/run_files.hpp"
#include "reports/store/statistics.hpp"

namespace reprise::reports {
namespace {

constexpr auto restore = "restore the file or run again";

bool is_time_of_work(const row& r) {
  return r.unit == "s" && r.metric.starts_with("time_");
}

// Equal but for the last digits, which another library may round differently.
bool is_equal(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= 1e-12 * std::abs(b);
}

bool has_equal_numbers(const row& a, const row& b) {
  return a.samples == b.samples && is_equal(a.value, b.value) && is_equal(a.q1, b.q1) && is_equal(a.q3, b.q3);
}

// Single samples of times after a flush of the caches are not kept.
bool keeps_samples(const row& r) {
  return is_measured(r) && r.unit == "s" && r.samples > 1 && !r.metric.ends_with("_cold");
}

// The samples of each number: they follow each other in the file.
using sample_groups = std::unordered_map<number_id, std::span<const sample>>;

sample_groups groups_of(const std::filesystem::path& file, std::span<const sample> samples) {
  sample_groups groups;
  for (std::size_t begin = 0; begin < samples.size();) {
    auto end = begin + 1;
    while (end < samples.size() && static_cast<const number_id&>(samples[end]) == samples[begin]) ++end;
    const auto own = samples.subspan(begin, end - begin);
    if (!groups.try_emplace(own.front(), own).second)
      refuse("{}, line {}: {} {} has samples in two places; {}", file.string(), begin + 2,
             case_text(own.front()), own.front().metric, restore);
    begin = end;
  }
  return groups;
}

// A row that an experiment took from another has the other's samples.
void require_copies(const std::filesystem::path& file, std::span<const row> rows,
                    const sample_groups& groups) {
  std::unordered_multimap<number_id, const row*> originals;
  for (const auto& r : rows)
    if (keeps_samples(r) && groups.contains(r)) originals.emplace(without_experiment(r), &r);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& r = rows[i];
    if (!keeps_samples(r) || groups.contains(r)) continue;
    const auto [begin, end] = originals.equal_range(without_experiment(r));
    if (std::any_of(begin, end, [&](const auto& known) { return has_equal_numbers(*known.second, r); }))
      continue;
    refuse("{}, line {}: {} {} counts {} samples and none is recorded; {}", file.string(), i + 2,
           case_text(r), r.metric, r.samples, restore);
  }
}

}  // namespace

std::string flaw_of(const row& r) {
  if (r.status == "published") return "is a paper's number among measured ones";
  if (r.samples < 0) return fmt::format("has {} samples", r.samples);
  if (!is_measured(r)) return {};
  if (!std::isfinite(r.value)) return "passes for right and has no finite value";
  if (r.q1 > r.q3) return "has quartiles in the wrong order";
  if (r.unit != "s") return {};
  if (r.value < 0 || (r.value == 0 && is_time_of_work(r))) return fmt::format("took {} s", r.value);
  if (r.q1 > r.value || r.value > r.q3) return "has a median outside of its quartiles";
  return {};
}

std::string flaw_of(const row& r, std::span<const sample> own) {
  if (!is_measured(r)) return fmt::format("is {} and has samples", r.status);
  std::vector<double> values;
  for (const auto& s : own) {
    if (s.index != static_cast<int>(values.size()))
      return fmt::format("has a sample {} where {} follows", s.index, values.size());
    if (!(s.value > 0) || !std::isfinite(s.value)) return fmt::format("has a sample of {} s", s.value);
    values.push_back(s.value);
  }
  std::ranges::sort(values);
  row expected = r;
  expected.value = quantile(values, .5);
  expected.q1 = quantile(values, .25);
  expected.q3 = quantile(values, .75);
  expected.samples = static_cast<int>(values.size());
  if (has_equal_numbers(r, expected)) return {};
  return fmt::format("says {} s [{}, {}] of {} samples, and its samples say {} s [{}, {}] of {}", r.value,
                     r.q1, r.q3, r.samples, expected.value, expected.q1, expected.q3, expected.samples);
}

void without_impossible(std::vector<row>& rows, std::vector<sample>& samples) {
  for (auto& r : rows) {
    std::vector<sample> own;
    std::ranges::copy_if(samples, std::back_inserter(own),
                         [&](const sample& s) { return static_cast<const number_id&>(s) == r; });
    auto flaw = flaw_of(r);
    if (flaw.empty() && !own.empty()) flaw = flaw_of(r, own);
    if (flaw.empty()) continue;
    r.status = r.unit == "s" ? "skipped" : "failed";
    r.reason = "not usable: the number " + flaw;
    r.value = r.q1 = r.q3 = no_value;
    r.samples = 0;
    std::erase_if(samples, [&](const sample& s) { return static_cast<const number_id&>(s) == r; });
  }
}

void require_sound(const std::filesystem::path& folder, std::span<const row> rows,
                   std::span<const sample> samples) {
  const auto rows_file = folder / rows_name;
  const auto samples_file = folder / samples_name;
  const auto groups = groups_of(samples_file, samples);
  std::unordered_set<number_id> known;
  known.reserve(rows.size());
  std::size_t groups_with_row = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& r = rows[i];
    auto flaw = flaw_of(r);
    if (!known.insert(r).second) flaw = "is there twice";
    const auto own = groups.find(r);
    groups_with_row += own != groups.end();
    if (flaw.empty() && own != groups.end()) flaw = flaw_of(r, own->second);
    if (!flaw.empty())
      refuse("{}, line {}: {} {} {}; {}", rows_file.string(), i + 2, case_text(r), r.metric, flaw, restore);
  }
  if (groups_with_row < groups.size()) {
    const auto orphan =
        std::ranges::find_if(groups, [&](const auto& group) { return !known.contains(group.first); });
    refuse_file(samples_file, "{} {} has samples and no row; {}", case_text(orphan->first),
                orphan->first.metric, restore);
  }
  require_copies(rows_file, rows, groups);
}

}  // namespace reprise::reports
