// SPDX-License-Identifier: MIT
// Finds the rows that match a selector, or explains why there are none.
#include "reports/judging/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

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

// Keeps the best row for each variant and size.
void keep_best(std::vector<candidate>& chosen, const candidate& next) {
  const auto same = std::ranges::find_if(chosen, [&](const candidate& c) {
    return c.data->variant == next.data->variant && c.data->size == next.data->size;
  });
  const auto rank = [](const candidate& c) { return std::tie(c.run_rank, c.device_rank); };
  if (same == chosen.end()) {
    chosen.push_back(next);
  } else if (rank(next) < rank(*same)) {
    *same = next;
  }
}

// Whether the run has a number of the row's case. If not, the case did not run, whatever the metric.
bool has_any_number(const run& from, const row& of) {
  return std::ranges::any_of(from.rows, [&](const row& r) { return r.status == "ok" && same_case(r, of); });
}

}  // namespace

std::vector<candidate> select(const selector& s, const evidence& known) {
  std::vector<candidate> chosen;
  if (s.published) {
    for (const auto& r : known.published) {
      if (fits_exactly(s, r, nullptr, known)) keep_best(chosen, {&r, nullptr, 0, 0});
    }
    return chosen;
  }
  for (std::size_t i = 0; i < known.runs.size(); ++i) {
    const auto& from = known.runs[i];
    for (const auto& r : from.rows) {
      if (fits_exactly(s, r, &from, known)) keep_best(chosen, {&r, &from, i, device_rank(from, r.device)});
    }
  }
  return chosen;
}

std::string why_nothing(const selector& s, const evidence& known) {
  const row* why = nullptr;
  for (const auto& from : known.runs) {
    for (const auto& r : from.rows) {
      if (r.status == "ok" || !fits(s, r, &from, known)) continue;
      if (!r.size.empty() && !matches_glob(s.size, r.size)) continue;
      const bool is_of_metric = r.metric.empty() || r.metric == metric_of(s, known);
      if (is_of_metric) return fmt::format("{}: {}: {}", s.text, r.status, r.reason);
      if (why == nullptr && !has_any_number(from, r)) why = &r;
    }
  }
  if (why != nullptr) return fmt::format("{}: {}: {}", s.text, why->status, why->reason);
  return fmt::format("{}: no row was measured", s.text);
}

std::string basis_key(const candidate& c, const evidence& known) {
  const auto& r = *c.data;
  const auto metric = r.metric == known.metric ? std::string() : ":" + r.metric;
  const auto run = known.runs.size() > 1 && c.from != nullptr ? name_of(*c.from) + " " : std::string();
  return fmt::format("{}{} {}@{}{} {}", run, short_name(r.experiment), short_name(r.variant), r.size, metric,
                     r.device);
}

}  // namespace reprise::reports
