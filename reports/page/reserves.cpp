// SPDX-License-Identifier: MIT
// Finds the runs of rows by their addresses.
#include "reports/page/reserves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace reprise::reports {
namespace {

std::optional<std::size_t> run_of(const row* r, std::span<const run> runs) {
  const std::less<> before;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto* const first = runs[i].rows.data();
    if (!before(r, first) && before(r, first + runs[i].rows.size())) return i;
  }
  return std::nullopt;
}

}  // namespace

bool is_single_time(const row& r) {
  return r.samples == 1 && r.unit == "s" && r.metric.starts_with("time_");
}

reserves::reserves(std::span<const run> runs, std::span<const row> published)
    : runs_(runs), published_(published) {}

std::string reserves::other_size(const row& r) const {
  std::vector<std::string_view> printed;
  for (const auto& p : published_)
    if (p.experiment == r.experiment && !p.size.empty() &&
        std::ranges::find(printed, p.size.str()) == printed.end())
      printed.push_back(p.size.str());
  if (printed.empty() || r.size.empty() || std::ranges::find(printed, r.size.str()) != printed.end())
    return {};
  return fmt::format("measured at {}, where the paper has {}", std::string_view(r.size),
                     fmt::join(printed, ", "));
}

std::vector<std::size_t> reserves::runs_of(std::span<const row* const> rows) const {
  std::vector<std::size_t> found;
  for (const auto* r : rows)
    if (const auto rank = run_of(r, runs_); rank && std::ranges::find(found, *rank) == found.end())
      found.push_back(*rank);
  return found;
}

std::vector<std::string> reserves::about(std::span<const row* const> rows) const {
  std::vector<std::string> all;
  for (const auto rank : runs_of(rows))
    for (const auto& one : grave_reservations_about(runs_[rank]))
      all.push_back(fmt::format("run {}: {}", name_of(runs_[rank]), one));
  // A row of print is of no run, and may not be read where the paper was moved.
  std::vector<const row*> measured(rows.begin(), rows.end());
  std::erase_if(measured, [&](const row* r) { return !run_of(r, runs_); });
  // Other sizes beside the paper's are no reserve.
  for (const auto* r : measured) {
    const auto is_of_paper = [&](const row* other) {
      return other->experiment == r->experiment && other_size(*other).empty();
    };
    auto size = other_size(*r);
    if (!size.empty() && std::ranges::none_of(measured, is_of_paper) &&
        std::ranges::find(all, size) == all.end())
      all.push_back(std::move(size));
  }
  const bool has_single = std::ranges::any_of(measured, [](const row* r) { return is_single_time(*r); });
  if (has_single) all.emplace_back("a time of one sample, which may be off by a factor of two either way");
  return all;
}

}  // namespace reprise::reports
