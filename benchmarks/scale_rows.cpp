// SPDX-License-Identifier: MIT
// Efficiencies and predictions.
#include "benchmarks/scale_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/scale_model.hpp"

namespace reprise::harness::scale {
namespace {

using reports::row;

constexpr const char* ranks_part = ";ranks=";

int ranks_of(const row& r) {
  const auto at = r.parameter.find(ranks_part);
  return at == std::string::npos ? 0 : std::stoi(r.parameter.substr(at + std::string(ranks_part).size()));
}

std::string without_ranks(const row& r) {
  return r.parameter.substr(0, r.parameter.find(ranks_part));
}

// Of a sphere, "81920", or of a surface, "8192x8192".
double cells_of(const row& r) {
  const auto cross = r.size.find('x');
  return std::stod(r.size) * (cross == std::string::npos ? 1 : std::stod(r.size.substr(cross + 1)));
}

bool is_right(const row& r, const std::string& metric) {
  return r.metric == metric && r.status == "ok";
}

bool is_same_problem(const row& a, const row& b) {
  return a.variant == b.variant && a.device == b.device && a.precision == b.precision &&
         without_ranks(a) == without_ranks(b);
}

// Of the rows of steps on one rank alone the one of the same problem, on the size wanted or the first of any.
const row* base_of(std::span<const row> rows, const row& r, const std::string& size) {
  for (const row& base : rows)
    if (is_right(base, "time_step") && ranks_of(base) == 1 && is_same_problem(base, r) &&
        (size.empty() || base.size == size))
      return &base;
  return nullptr;
}

// Of one variant, device, precision and method.
using series = std::tuple<std::string, std::string, std::string, std::string>;

std::map<series, std::map<std::pair<int, double>, measured_step>> steps_in(std::span<const row> rows) {
  std::map<series, std::map<std::pair<int, double>, measured_step>> all;
  for (const row& r : rows) {
    if (r.status != "ok" || ranks_of(r) == 0) continue;
    const int ranks = ranks_of(r);
    measured_step& s = all[{r.variant, r.device, r.precision, without_ranks(r)}][{ranks, cells_of(r)}];
    s.ranks = ranks;
    s.cells = cells_of(r);
    if (r.metric == "time_step") s.step = r.value;
    if (r.metric == "compute_time" || (r.metric == "time_step" && ranks == 1)) s.compute = r.value;
    if (r.metric == "exchange_time") s.exchange = r.value;
  }
  return all;
}

row labelled(std::span<const row> rows, const series& of, double cells, int ranks) {
  const auto& [variant, device, precision, parameter] = of;
  row r;
  r.run = rows.front().run;
  r.experiment = rows.front().experiment;
  r.variant = variant;
  r.device = device;
  r.precision = precision;
  r.size = fmt::format("{:.0f}", cells);
  r.parameter = fmt::format("{}{}{}", parameter, ranks_part, ranks);
  r.status = "ok";
  return r;
}

// As numbers of their own, for the table.
void add_bounds(std::vector<row>& all, const row& efficiency) {
  all.push_back(derived(efficiency, "least_efficiency", efficiency.q1, "%", efficiency.reason));
  if (!std::isnan(efficiency.q3))
    all.push_back(
        derived(efficiency, "most_efficiency", std::min(efficiency.q3, 100.), "%", efficiency.reason));
}

void add_predictions(std::vector<row>& all, std::span<const row> rows, const series& of,
                     const std::vector<measured_step>& steps) {
  const auto found = model::of(steps);
  if (!found) return;
  double cells = 0;
  for (const measured_step& s : steps) cells = std::max(cells, s.cells);
  const auto one = std::find_if(steps.begin(), steps.end(),
                                [&](const measured_step& s) { return s.ranks == 1 && s.cells == cells; });
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
    const double share = cells_of(r) / ranks_of(r);
    const double alone = cells_of(*base);
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
