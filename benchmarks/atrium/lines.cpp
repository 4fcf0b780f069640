// SPDX-License-Identifier: MIT
// Interpolates voltages of recorded cells linearly at evenly spaced times.
#include "benchmarks/atrium/lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace reprise::harness::atrium_cases {
namespace {

using atrium::recording;

std::size_t cells_of(const recording& r) {
  return r.v.size() / r.t.size();
}

// Index of the first sample in which the cell has reached -40 mV; the number of samples if it never does.
std::size_t activation(const recording& r, std::size_t column) {
  std::size_t n = 0;
  while (n < r.t.size() && r.v[n * cells_of(r) + column] < -40) ++n;
  return n;
}

// Recorded cells in the order of their activation.
std::vector<std::size_t> by_activation(const recording& r) {
  std::vector<std::pair<std::size_t, std::size_t>> order;
  for (std::size_t k = 0; k < cells_of(r); ++k) order.emplace_back(activation(r, k), k);
  std::ranges::sort(order);
  std::vector<std::size_t> columns;
  for (const auto& [when, column] : order) columns.push_back(column);
  return columns;
}

double voltage_at(const recording& r, std::size_t column, double t) {
  const auto after = std::upper_bound(r.t.begin() + 1, r.t.end() - 1, t) - r.t.begin();
  const auto n = static_cast<std::size_t>(after) - 1;
  const auto value = [&](std::size_t sample) { return r.v[sample * cells_of(r) + column]; };
  const double share = (t - r.t[n]) / (r.t[n + 1] - r.t[n]);
  return value(n) + share * (value(n + 1) - value(n));
}

// The least distance in time at which the cell has this voltage, by inverse linear interpolation; infinite if it never has.
double time_distance(const recording& r, std::size_t column, double t, double voltage) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n + 1 < r.t.size(); ++n) {
    const double from = r.v[n * cells_of(r) + column];
    const double to = r.v[(n + 1) * cells_of(r) + column];
    if (from == to || (voltage - from) * (voltage - to) > 0) continue;
    const double at = r.t[n] + (voltage - from) / (to - from) * (r.t[n + 1] - r.t[n]);
    least = std::min(least, std::abs(at - t));
  }
  return least;
}

}  // namespace

std::vector<found> lines_of(const recording& r, const atrium::problem& p) {
  constexpr int points = 201;
  constexpr std::size_t lines = 4;
  const std::vector<std::size_t> order = by_activation(r);
  std::vector<found> all;
  for (std::size_t line = 0; line < lines; ++line) {
    const std::size_t column = order[line * (order.size() - 1) / (lines - 1)];
    for (int i = 0; i < points; ++i) {
      const double t = p.protocol.t_end * i / (points - 1);
      all.push_back({"voltage", voltage_at(r, column, t), "mV", "",
                     fmt::format("cell={};t={:g}", p.recorded[column], t)});
    }
  }
  return all;
}

std::vector<found> front_lines(const recording& r, const recording& reference) {
  constexpr int points = 81;
  constexpr double before = 2;  // ms
  constexpr double after = 6;
  std::vector<std::size_t> order = by_activation(reference);
  std::erase_if(order, [&](std::size_t k) { return activation(reference, k) == reference.t.size(); });
  std::vector<found> all;
  if (order.empty()) return all;
  const std::size_t column = order.back();
  const double front = reference.t[activation(reference, column)];
  for (int i = 0; i < points; ++i) {
    const double t =
        std::min(std::max(front - before, 0.) + (before + after) * i / (points - 1), reference.t.back());
    const double v = voltage_at(r, column, t);
    all.push_back({"voltage", v, "mV", "", fmt::format("of=trajectory;t={:g}", t)});
    const double off = v - voltage_at(reference, column, t);
    all.push_back({"voltage", off, "mV", "", fmt::format("of=difference;t={:g}", t)});
    all.push_back({"local_distance", std::abs(off), "mV or ms", "", fmt::format("of=vertical;t={:g}", t)});
    const double late = time_distance(reference, column, t, v);
    if (std::isfinite(late))
      all.push_back({"local_distance", late, "mV or ms", "", fmt::format("of=horizontal;t={:g}", t)});
  }
  return all;
}

}  // namespace reprise::harness::atrium_cases
