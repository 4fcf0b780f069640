// SPDX-License-Identifier: MIT
// Finds the rows that match a selector, or explains why there are none.
#include "reports/judging/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "reports/store/devices.hpp"
#include "reports/store/glob.hpp"

namespace reprise::reports {
namespace {

bool fits_device(const selector& s, const row& r, const run* from) {
  return s.device.empty() || matches_glob(s.device, r.device) ||
         (from != nullptr && matches_glob(s.device, device_name(*from, r.device)));
}

// Whether the row matches everything but the metric, size and status.
bool fits(const selector& s, const row& r, const run* from, const evidence& known) {
  return family_of(r.experiment) == known.family && matches_glob(s.variant, short_name(r.variant)) &&
         (s.experiment.empty() || s.experiment == r.experiment || s.experiment == short_name(r.experiment)) &&
         (s.precision.empty() || s.precision == r.precision) &&
         (s.parameter.empty() || s.parameter == r.parameter) && fits_device(s, r, from);
}

std::string_view metric_of(const selector& s, const evidence& known) {
  return s.metric.empty() ? known.metric : std::string_view(s.metric);
}

bool fits_exactly(const selector& s, const row& r, const run* from, const evidence& known) {
  // A paper may leave a number out. A measured one that is not finite has been measured, and belongs to the
  // claim.
  return r.metric == metric_of(s, known) && matches_glob(s.size, r.size) &&
         (!s.published || std::isfinite(r.value)) && r.status == (s.published ? "published" : "ok") &&
         fits(s, r, from, known);
}

// Keeps the best row for each variant and size, in the order of their first rows.
class best_rows {
 public:
  void add(const candidate& next) {
    const auto rank = [](const candidate& c) { return std::tie(c.run_rank, c.device_rank); };
    const auto [at, is_new] = at_.try_emplace({next.data->variant, next.data->size}, chosen_.size());
    if (is_new) {
      chosen_.push_back(next);
    } else if (auto& known = chosen_[at->second]; rank(next) < rank(known)) {
      known = next;
    }
  }

  std::vector<candidate> chosen() { return std::move(chosen_); }

 private:
  std::vector<candidate> chosen_;
  std::map<std::pair<shared_text, shared_text>, std::size_t> at_;
};

}  // namespace

std::vector<candidate> select(const selector& s, const evidence& known, const run* only) {
  best_rows best;
  if (s.published) {
    for (const auto& r : known.published) {
      if (fits_exactly(s, r, nullptr, known)) best.add({&r, nullptr, 0, 0});
    }
    return best.chosen();
  }
  for (const auto& c : known.runs.right(known.family, metric_of(s, known), s.variant, s.size)) {
    if (only != nullptr && c.from != only) continue;
    if (fits_exactly(s, *c.data, c.from, known)) best.add(c);
  }
  return best.chosen();
}

std::vector<const run*> runs_with(const selector& s, const evidence& known) {
  std::vector<const run*> found;
  for (const auto& c : known.runs.right(known.family, metric_of(s, known), s.variant, s.size)) {
    const bool is_new = found.empty() || found.back() != c.from;
    if (is_new && fits_exactly(s, *c.data, c.from, known)) found.push_back(c.from);
  }
  return found;
}

std::string why_nothing(const selector& s, const evidence& known) {
  const row* why = nullptr;
  for (const auto& c : known.runs.without_number(known.family, s.variant)) {
    const row& r = *c.data;
    if (!fits(s, r, c.from, known)) continue;
    if (!r.size.empty() && !matches_glob(s.size, r.size)) continue;
    const bool is_of_metric = r.metric.empty() || r.metric == metric_of(s, known);
    if (is_of_metric) return fmt::format("{}: {}: {}", s.text, r.status, r.reason);
    if (why == nullptr && !known.runs.has_number(c)) why = &r;
  }
  if (why != nullptr) return fmt::format("{}: {}: {}", s.text, why->status, why->reason);
  return fmt::format("{}: no row was measured", s.text);
}

std::string basis_key(const candidate& c, const evidence& known) {
  const auto& r = *c.data;
  const auto metric = r.metric == known.metric ? std::string() : ":" + r.metric;
  const auto run = known.runs.runs() > 1 && c.from != nullptr ? name_of(*c.from) + " " : std::string();
  return fmt::format("{}{} {}@{}{} {}", run, short_name(r.experiment), short_name(r.variant), r.size, metric,
                     r.device);
}

}  // namespace reprise::reports
