// SPDX-License-Identifier: MIT
// Judges a claim: finds the rows that its quantity selects, evaluates it, and compares.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "reports/claims.hpp"
#include "reports/devices.hpp"

namespace reprise::reports {
namespace {

// A row that a selector fits. The first run and, within it, the device that run.json names first count most.
struct candidate {
  const row* data{};
  const run* from{};  // null for a published row
  std::size_t run_rank{};
  std::size_t device_rank{};
};

bool fits_device(const selector& s, const row& r, const run* from) {
  return s.device.empty() || matches_glob(s.device, r.device) ||
         (from != nullptr && matches_glob(s.device, device_name(*from, r.device)));
}

// Whether the row is of the kind selected, whatever its metric, size and status.
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
  return r.metric == metric_of(s, known) && matches_glob(s.size, r.size) && std::isfinite(r.value) &&
         r.status == (s.published ? "published" : "ok") && fits(s, r, from, known);
}

// For each variant and size, in the order of the rows, the one row that counts.
void keep_best(std::vector<candidate>& chosen, const candidate& next) {
  const auto same = std::find_if(chosen.begin(), chosen.end(), [&](const candidate& c) {
    return c.data->variant == next.data->variant && c.data->size == next.data->size;
  });
  const auto rank = [](const candidate& c) { return std::tie(c.run_rank, c.device_rank); };
  if (same == chosen.end()) {
    chosen.push_back(next);
  } else if (rank(next) < rank(*same)) {
    *same = next;
  }
}

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

// Why a selector found nothing measured: the reason of a row that was skipped or failed, if there is one.
std::string why_nothing(const selector& s, const evidence& known) {
  for (const auto& from : known.runs) {
    for (const auto& r : from.rows) {
      if (r.status == "ok" || !fits(s, r, &from, known)) continue;
      if (!r.size.empty() && !matches_glob(s.size, r.size)) continue;
      return fmt::format("{}: {}: {}", s.text, r.status, r.reason);
    }
  }
  return fmt::format("{}: no row was measured", s.text);
}

std::string basis_key(const candidate& c, const evidence& known) {
  const auto& r = *c.data;
  const auto metric = r.metric == known.metric ? std::string() : ":" + r.metric;
  const auto run = known.runs.size() > 1 && c.from != nullptr ? name_of(*c.from) + " " : std::string();
  return fmt::format("{}{} {}@{}{} {}", run, short_name(r.experiment), short_name(r.variant), r.size, metric,
                     r.device);
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

}  // namespace reprise::reports
