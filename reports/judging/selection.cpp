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

// A measured case may be run with other settings at any time, so that a selector without a parameter means the case that has
// none. Printed rows are all known.
bool fits_parameter(const selector& s, const row& r) {
  return s.parameter == r.parameter || (s.published && s.parameter.empty());
}

// Whether the row matches everything but the metric, size and status.
bool fits(const selector& s, const row& r, const run* from, const evidence& known) {
  return family_of(r.experiment) == known.family && matches_glob(s.variant, short_name(r.variant)) &&
         (s.experiment.empty() || s.experiment == r.experiment || s.experiment == short_name(r.experiment)) &&
         (s.precision.empty() || s.precision == r.precision) && fits_parameter(s, r) &&
         fits_device(s, r, from);
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

// Every row that the selector matches.
std::vector<candidate> fitting(const selector& s, const evidence& known) {
  std::vector<candidate> all;
  if (s.published) {
    for (const auto& r : known.published) {
      if (fits_exactly(s, r, nullptr, known)) all.push_back({&r, nullptr, 0, 0});
    }
    return all;
  }
  for (const auto& c : known.runs.right(known.family, metric_of(s, known), s.variant, s.size)) {
    if (fits_exactly(s, *c.data, c.from, known)) all.push_back(c);
  }
  return all;
}

// What tells two rows of one variant and size apart; empty if nothing does.
std::string difference(const row& a, const row& b) {
  const auto both = [](std::string_view field, const std::string& one, const std::string& other) {
    return fmt::format("{0}={1} and {0}={2}", field, one, other);
  };
  if (a.precision != b.precision) return both("precision", a.precision, b.precision);
  if (a.parameter != b.parameter) return both("parameter", a.parameter, b.parameter);
  return a.device == b.device ? std::string() : both("device", a.device, b.device);
}

// The parameter of a measured row that a selector without one does not match; empty if there is none.
std::string a_parameter_of(selector s, const evidence& known) {
  if (!s.parameter.empty()) return {};
  for (const auto& c : known.runs.right(known.family, metric_of(s, known), s.variant, s.size)) {
    s.parameter = c.data->parameter;
    if (fits_exactly(s, *c.data, c.from, known)) return s.parameter;
  }
  return {};
}

}  // namespace

std::vector<candidate> select(const selector& s, const evidence& known, const run_filter& counts) {
  best_rows best;
  for (const auto& c : fitting(s, known))
    if (!counts || s.published || counts(*c.from)) best.add(c);
  return best.chosen();
}

std::string open_choice(const selector& s, const evidence& known, const run_filter& counts) {
  // Runs and their devices have an order. Printed devices have none.
  std::map<std::tuple<shared_text, shared_text, std::size_t, std::size_t>, const row*> first;
  for (const auto& c : fitting(s, known)) {
    if (counts && !s.published && !counts(*c.from)) continue;
    const auto& r = *c.data;
    const auto [at, is_new] = first.try_emplace({r.variant, r.size, c.run_rank, c.device_rank}, &r);
    const auto differs = is_new ? std::string() : difference(*at->second, r);
    if (!differs.empty()) return fmt::format("{{{}}} stands for both {}; name one", s.text, differs);
  }
  return {};
}

std::vector<const run*> runs_with(const selector& s, const evidence& known) {
  std::vector<const run*> found;
  for (const auto& c : known.runs.right(known.family, metric_of(s, known), s.variant, s.size)) {
    const bool is_new = found.empty() || found.back() != c.from;
    if (is_new && fits_exactly(s, *c.data, c.from, known)) found.push_back(c.from);
  }
  return found;
}

namespace {

// Reasons of disturbed times begin with their status.
std::string status_and_reason(const row& r) {
  if (r.status == "ok") return fmt::format("on {} alone, which is a processor", r.device.str());
  const std::string status = r.status.str() + ": ";
  return r.reason.str().starts_with(status) ? r.reason.str() : status + r.reason.str();
}

}  // namespace

const row* row_without_number(const selector& s, const evidence& known, const run_filter& counts) {
  const row* of_metric = nullptr;
  const row* of_case = nullptr;
  for (const auto& c : known.runs.without_number(known.family, s.variant)) {
    const row& r = *c.data;
    if (!fits(s, r, c.from, known) || (counts && !counts(*c.from))) continue;
    if (!r.size.empty() && !matches_glob(s.size, r.size)) continue;
    const bool is_of_metric = r.metric.empty() || r.metric == metric_of(s, known);
    if (is_of_metric && explains_better(&r, of_metric)) of_metric = &r;
    if (!is_of_metric && of_case == nullptr && !known.runs.has_number(c)) of_case = &r;
  }
  return of_metric != nullptr ? of_metric : of_case;
}

std::string why_nothing(const selector& s, const row* without_number, const evidence& known) {
  if (without_number != nullptr) return fmt::format("{}: {}", s.text, status_and_reason(*without_number));
  if (const auto other = a_parameter_of(s, known); !other.empty())
    return fmt::format("{}: only rows with a parameter were measured; name it, such as parameter={}", s.text,
                       other);
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
