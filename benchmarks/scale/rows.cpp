// SPDX-License-Identifier: MIT
// Computes efficiencies and predictions.
#include "benchmarks/scale/rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "benchmarks/harness/derivation.hpp"
#include "benchmarks/scale/model.hpp"
#include "reports/store/parameters.hpp"

namespace reprise::harness::scale {
namespace {

using reports::case_id;
using reports::row;

constexpr const char* ranks_part = "ranks";

// The number of ranks in a row's parameter; 0 if there is none.
int ranks_of(const row& r) {
  const double ranks = reports::parameters(r.parameter).number(ranks_part);
  return std::isnan(ranks) ? 0 : static_cast<int>(ranks);
}

// The case without its size and number of ranks: variant, device, precision and method.
case_id series_of(const row& r) {
  case_id of = r;
  of.size.clear();
  of.parameter = reports::parameters(r.parameter).without(ranks_part).text();
  return of;
}

// The row of the same problem's step on one rank: at `size` if that is given, else the
// first. Null if there is none.
const row* base_of(std::span<const row> rows, const row& r, const std::string& size) {
  for (const row& base : rows)
    if (is_right(base, "time_step") && ranks_of(base) == 1 && series_of(base) == series_of(r) &&
        (size.empty() || base.size == size))
      return &base;
  return nullptr;
}

std::map<case_id, std::map<std::pair<int, double>, measured_step>> steps_in(std::span<const row> rows) {
  std::map<case_id, std::map<std::pair<int, double>, measured_step>> all;
  for (const row& r : rows) {
    const int ranks = ranks_of(r);
    if (r.status != "ok" || ranks == 0) continue;
    const double cells = reports::nodes_of(r.size);
    measured_step& s = all[series_of(r)][{ranks, cells}];
    s.ranks = ranks;
    s.cells = cells;
    if (r.metric == "time_step") s.step = r.value;
    if (r.metric == "compute_time" || (r.metric == "time_step" && ranks == 1)) s.compute = r.value;
    if (r.metric == "exchange_time") s.exchange = r.value;
  }
  return all;
}

row labelled(std::span<const row> rows, const case_id& of, double cells, int ranks) {
  row r{{of, ""}, rows.front().run};
  r.size = fmt::format("{:.0f}", cells);
  r.parameter = fmt::format("{};{}={}", of.parameter, ranks_part, ranks);
  r.status = "ok";
  return r;
}

// Adds the bounds of an efficiency as rows of their own, for the table.
void add_bounds(std::vector<row>& all, const row& efficiency) {
  all.push_back(derived(efficiency, "least_efficiency", efficiency.q1, "%", efficiency.reason));
  if (!std::isnan(efficiency.q3))
    all.push_back(
        derived(efficiency, "most_efficiency", std::min(efficiency.q3, 100.), "%", efficiency.reason));
}

void add_predictions(std::vector<row>& all, std::span<const row> rows, const case_id& of,
                     const std::vector<measured_step>& steps) {
  const auto found = model::of(steps);
  if (!found) return;
  double cells = 0;
  for (const measured_step& s : steps) cells = std::max(cells, s.cells);
  const auto one =
      std::ranges::find_if(steps, [&](const measured_step& s) { return s.ranks == 1 && s.cells == cells; });
  for (int ranks = 8; ranks <= 1024; ranks *= 2) {
    const predicted_step p = found->predict(ranks, cells);
    row time = labelled(rows, of, cells, ranks);
    time.metric = "predicted_time_step";
    time.unit = "s";
    time.value = p.seconds;
    time.q1 = p.shortest;
    time.q3 = p.longest;
    time.reason = fmt::format(
        "a prediction, not a measurement: lines through {} cases; from all of the exchange hidden to "
        "nothing of it, two deviations beyond",
        steps.size());
    all.push_back(time);
    if (one == steps.end()) continue;
    time.metric = "predicted_efficiency";
    time.unit = "%";
    time.value = 100 * one->step / (ranks * p.seconds);
    time.q1 = 100 * one->step / (ranks * p.longest);
    time.q3 = p.shortest > 0 ? 100 * one->step / (ranks * p.shortest) : reports::no_value;
    all.push_back(time);
    add_bounds(all, time);
  }
}

}  // namespace

std::vector<row> strong_efficiency(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows) {
    if (!is_right(r, "time_step") || ranks_of(r) < 2) continue;
    const row* const base = base_of(rows, r, r.size);
    if (base != nullptr)
      all.push_back(derived(r, "efficiency", 100 * base->value / (ranks_of(r) * r.value), "%",
                            "one rank's time over the ranks' times their number, in this run"));
  }
  return all;
}

std::vector<row> weak_efficiency(std::span<const row> rows) {
  std::vector<row> all;
  for (const row& r : rows) {
    if (!is_right(r, "time_step") || ranks_of(r) < 2) continue;
    const row* const base = base_of(rows, r, "");
    if (base == nullptr) continue;
    const double share = reports::nodes_of(r.size) / ranks_of(r);
    const double alone = reports::nodes_of(base->size);
    all.push_back(derived(
        r, "weak_efficiency", 100 * (share / r.value) / (alone / base->value), "%",
        fmt::format("a rank's cells in a second, {:.0f} of its own, over those of one rank alone with {:.0f}",
                    share, alone)));
  }
  return all;
}

std::vector<row> predictions(std::span<const row> rows) {
  std::vector<row> all;
  for (const auto& [of, cases] : steps_in(rows)) {
    std::vector<measured_step> steps;
    for (const auto& [key, step] : cases)
      if (step.step > 0) steps.push_back(step);
    add_predictions(all, rows, of, steps);
  }
  return all;
}

}  // namespace reprise::harness::scale
