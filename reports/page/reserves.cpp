// SPDX-License-Identifier: MIT
// Finds the runs of rows by their addresses.
#include "reports/page/reserves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

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

reserves::reserves(std::span<const run> runs) : runs_(runs) {}

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
  const bool has_single =
      std::ranges::any_of(rows, [&](const row* r) { return run_of(r, runs_) && is_single_time(*r); });
  if (has_single) all.emplace_back("a time of one sample, which may be off by a factor of two either way");
  return all;
}

}  // namespace reprise::reports
