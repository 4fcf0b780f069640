// SPDX-License-Identifier: MIT
// Joins rows of the same case: two rates to a point under a roof, a time and an
// error to a work-precision point.
#include "reports/page/efficiency.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/store/devices.hpp"
#include "reports/store/nearest_roof.hpp"

namespace reprise::reports {
namespace {

// The device's name, regardless of backend and run.
std::string plain_device(const shown_row& r, std::span<const run> runs) {
  return r.published ? r.data->device.str() : device_name(runs[r.run_rank], r.data->device);
}

struct joined {
  const shown_row* x{};
  const shown_row* y{};
};

// Cases with both metrics, in the order of the rows.
std::vector<joined> join(std::span<const shown_row> rows, std::string_view x, std::string_view y) {
  std::map<std::tuple<bool, std::size_t, case_id>, std::size_t> known;
  std::vector<joined> cases;
  for (const auto& r : rows) {
    if (!has_value(r) || !(r.data->value > 0) || (r.data->metric != x && r.data->metric != y)) continue;
    const auto [at, is_new] =
        known.try_emplace({r.published, r.run_rank, without_experiment(*r.data)}, cases.size());
    if (is_new) cases.emplace_back();
    auto& place = r.data->metric == x ? cases[at->second].x : cases[at->second].y;
    if (place == nullptr) place = &r;
  }
  std::erase_if(cases, [](const joined& j) { return j.x == nullptr || j.y == nullptr; });
  return cases;
}

// The run's roof of this kind for the device; NaN if it was not measured.
double roof_of(const run& from, const std::string& device, const std::string& precision,
               const std::string& kind) {
  for (const auto& r : entry_of(*from.description, "roofs")) {
    if (text_of(r, "device") != device || text_of(r, "roof") != kind) continue;
    if (!precision.empty() && text_of(r, "precision") != precision) continue;
    if (const auto& value = entry_of(r, "value"); value.is_number()) return value;
  }
  return no_value;
}

// What each case comes nearest to, if its own row says so.
std::map<std::pair<std::size_t, case_id>, nearest_roof> binding_roofs(std::span<const shown_row> rows) {
  std::map<std::pair<std::size_t, case_id>, nearest_roof> all;
  for (const auto& r : rows)
    if (!r.published && r.data->metric == binding_metric)
      all[{r.run_rank, without_experiment(*r.data)}].see(*r.data);
  return all;
}

struct roofs {
  double bandwidth{no_value}, flops{no_value};
};

// The roof of a panel, drawn from beyond the points' least intensity to beyond their largest.
series roof_series(const std::string& panel, const roofs& top, const std::vector<series>& points) {
  const double ridge = top.flops / top.bandwidth;
  double least = ridge / 2, most = 2 * ridge;
  for (const auto& s : points) {
    if (s.panel != panel) continue;
    least = std::min(least, s.points.front().x);
    most = std::max(most, s.points.front().x);
  }
  series roof{.label = "roof", .panel = panel, .is_roof = true};
  for (const double x : {least, ridge, most})
    roof.points.push_back({.x = x, .y = std::min(top.bandwidth * x, top.flops)});
  return roof;
}

// The best point of each variant in each panel, followed by the panels' roofs.
std::vector<series> roofline_series(std::span<const shown_row> rows, std::span<const run> runs,
                                    std::string (*colour_of)(const shown_row&)) {
  std::vector<series> best;
  std::map<std::pair<std::string, shared_text>, std::size_t> index;  // by panel and variant
  std::map<std::string, roofs> tops;                                 // by panel
  const auto binding = binding_roofs(rows);
  for (const auto& j : join(rows, "bandwidth_compulsory", "gflops")) {
    if (j.y->published) continue;
    const auto& d = *j.y->data;
    const auto& from = runs[j.y->run_rank];
    const roofs top{
        std::fmax(roof_of(from, d.device, {}, "copy_roof"), roof_of(from, d.device, {}, "read_roof")),
        roof_of(from, d.device, d.precision, "flops_roof")};
    if (std::isnan(top.bandwidth) || std::isnan(top.flops)) continue;
    const auto device = plain_device(*j.y, runs);
    const auto& variant = j.y->variant.str();
    const auto bound = binding.find({j.y->run_rank, without_experiment(d)});
    const auto nearest = bound == binding.end() || std::isnan(bound->second.percent)
                             ? ""
                             : fmt::format(", {:.0f} % of {}", bound->second.percent, bound->second.name);
    series s{.label = variant + " at " + d.size + nearest,
             .device = device,
             .panel = device + ", " + d.precision,
             .colour = colour_of(*j.y),
             .points = {{.x = d.value / j.x->data->value, .y = d.value}}};
    auto& highest = tops[s.panel];
    highest = {std::fmax(highest.bandwidth, top.bandwidth), std::fmax(highest.flops, top.flops)};
    const auto [at, is_new] = index.try_emplace({s.panel, d.variant}, best.size());
    if (is_new) best.push_back(s);
    if (d.value > best[at->second].points.front().y) best[at->second] = std::move(s);
  }
  auto all = best;
  for (const auto& [panel, top] : tops) all.push_back(roof_series(panel, top, best));
  return all;
}

// "mean_curvature, double" for the parameter "flow=mean_curvature".
std::string panel_name(const row& of, bool names_parameter) {
  if (!names_parameter || of.parameter.empty()) return of.precision;
  return of.parameter.substr(of.parameter.find('=') + 1) + ", " + of.precision;
}

std::optional<figure> roofline_of(std::vector<series> lines, const std::string& owner) {
  if (lines.empty()) return std::nullopt;
  return figure{
      .id = owner + "/roofline",
      .title = "Roofline: the best rate of each variant",
      .note =
          "Operations against bytes that must cross the memory bus, by each variant's own count. The grey "
          "line is what the device reached in the same run in tests that only copy or read, or only multiply "
          "and add. "
          "A point above its slope was served by a cache; an arrow points to one that touches the memory "
          "once and stands further right. A point's text names the roof of all that were measured that it "
          "comes nearest "
          "to.",
      .x_label = "operations per byte",
      .y_label = "GFLOP/s",
      .unit = "GFLOP/s",
      .log_x = true,
      .log_y = true,
      .is_roofline = true,
      .lines = std::move(lines)};
}

}  // namespace

std::optional<figure> make_roofline(const std::string& word, std::span<const shown_row> rows,
                                    std::span<const run> runs) {
  return roofline_of(roofline_series(rows, runs, [](const shown_row& r) { return r.variant.str(); }), word);
}

std::optional<figure> make_device_roofline(const std::string& owner, std::span<const shown_row> rows,
                                           std::span<const run> runs) {
  return roofline_of(
      roofline_series(rows, runs, [](const shown_row& r) { return std::string(family_of(r.data->variant)); }),
      owner);
}

std::optional<figure> make_work_precision(const std::string& word, std::span<const shown_row> rows,
                                          std::span<const run> runs) {
  figure f{.id = word + "/work_precision",
           .title = "Work and precision: error against time",
           .note =
               "One point for each grid: the error in the L2 norm at the end against the time of the solve. "
               "Cases with a tolerance or other settings of their own are left out.",
           .x_label = "time (s)",
           .y_label = "error in the L2 norm",
           .log_x = true,
           .log_y = true};
  auto cases = join(rows, "time_solve", "error_l2");
  std::erase_if(cases, [](const joined& j) { return j.y->data->parameter.find(';') != std::string::npos; });
  std::vector<shown_row> errors;
  for (const auto& j : cases) errors.push_back(*j.y);
  const bool names_parameter = distinctions_between(errors).parameter;
  std::map<std::tuple<bool, std::string, std::string, std::string>, std::size_t> series_at;
  std::set<std::pair<std::size_t, std::string>> sizes;  // only the first run's point counts
  for (const auto& j : cases) {
    const auto& d = *j.y->data;
    series s{.published = j.y->published,
             .device = plain_device(*j.y, runs),
             .panel = panel_name(d, names_parameter),
             .colour = j.y->variant};
    s.label = s.device + ", " + s.colour + ", " + s.panel + (s.published ? " (paper)" : "");
    const auto [at, is_new] =
        series_at.try_emplace({s.published, s.device, s.colour, s.panel}, f.lines.size());
    if (is_new) f.lines.push_back(std::move(s));
    if (!sizes.emplace(at->second, d.size).second) continue;
    f.lines[at->second].points.push_back({.x = j.x->data->value, .y = d.value});
  }
  if (f.lines.empty()) return std::nullopt;
  for (auto& s : f.lines) std::ranges::stable_sort(s.points, {}, &point::x);
  return f;
}

}  // namespace reprise::reports
