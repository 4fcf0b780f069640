// SPDX-License-Identifier: MIT
// Joins rows of one case: two rates to a point under a roof, a time and an error to a point of work and
// precision.
#include "reports/efficiency.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "reports/devices.hpp"
#include "reports/pivot.hpp"

namespace reprise::reports {
namespace {

// A case, whichever of its experiments has the row.
using case_key =
    std::tuple<bool, std::size_t, std::string, std::string, std::string, std::string, std::string>;

case_key key_of(const shown_row& r) {
  const auto& d = *r.data;
  return {r.published, r.run_rank, d.variant, d.device, d.precision, d.size, d.parameter};
}

// What the device is called, whichever interface it was used through and in whichever run.
std::string plain_device(const shown_row& r, std::span<const run> runs) {
  return r.published ? r.data->device : device_name(runs[r.run_rank], r.data->device);
}

struct joined {
  const shown_row* x{};
  const shown_row* y{};
};

// Cases that have both metrics, in the order of the rows.
std::vector<joined> join(std::span<const shown_row> rows, std::string_view x, std::string_view y) {
  std::map<case_key, std::size_t> known;
  std::vector<joined> cases;
  for (const auto& r : rows) {
    if (!has_value(r) || !(r.data->value > 0) || (r.data->metric != x && r.data->metric != y)) continue;
    const auto [at, is_new] = known.try_emplace(key_of(r), cases.size());
    if (is_new) cases.emplace_back();
    auto& place = r.data->metric == x ? cases[at->second].x : cases[at->second].y;
    if (place == nullptr) place = &r;
  }
  std::erase_if(cases, [](const joined& j) { return j.x == nullptr || j.y == nullptr; });
  return cases;
}

// The best of the run's roofs of this kind for the device; none where none was measured.
double roof_of(const run& from, const std::string& device, const std::string& precision,
               const std::string& kind) {
  const auto roofs = from.description.find("roofs");
  if (roofs == from.description.end() || !roofs->is_array()) return no_value;
  for (const auto& r : *roofs) {
    if (!r.is_object() || text_of(r, "device") != device || text_of(r, "roof") != kind) continue;
    if (!precision.empty() && text_of(r, "precision") != precision) continue;
    if (const auto value = r.find("value"); value != r.end() && value->is_number()) return *value;
  }
  return no_value;
}

struct roofs {
  double bandwidth{no_value}, flops{no_value};
};

series roof_series(const std::string& panel, const roofs& top, double least, double most) {
  series s;
  s.panel = panel;
  s.label = "roof";
  s.is_roof = true;
  const double ridge = top.flops / top.bandwidth;
  for (const double x : {std::min(least, ridge / 2), ridge, std::max(most, 2 * ridge)}) {
    point p;
    p.x = x;
    p.y = std::min(top.bandwidth * x, top.flops);
    s.points.push_back(p);
  }
  return s;
}

class roofline_maker {
 public:
  explicit roofline_maker(std::span<const run> runs) : runs_(runs) {}

  void add(const joined& j) {
    const auto& d = *j.y->data;
    const auto& from = runs_[j.y->run_rank];
    const roofs top{roof_of(from, d.device, {}, "copy_roof"),
                    roof_of(from, d.device, d.precision, "flops_roof")};
    if (std::isnan(top.bandwidth) || std::isnan(top.flops)) return;
    const auto panel = plain_device(*j.y, runs_) + ", " + d.precision;
    auto& highest = tops_[panel];
    highest = {std::fmax(highest.bandwidth, top.bandwidth), std::fmax(highest.flops, top.flops)};
    const std::pair key{panel, std::string(short_name(d.variant))};
    const auto [at, is_new] = best_.try_emplace(key, j);
    if (is_new) order_.push_back(key);
    if (d.value > at->second.y->data->value) at->second = j;
  }

  std::vector<series> lines() const {
    std::vector<series> all;
    std::map<std::string, std::pair<double, double>> ranges;
    for (const auto& key : order_) {
      all.push_back(point_of(key));
      const double x = all.back().points.front().x;
      const auto range = ranges.try_emplace(key.first, x, x).first;
      range->second = {std::min(range->second.first, x), std::max(range->second.second, x)};
    }
    for (const auto& [panel, range] : ranges)
      all.push_back(roof_series(panel, tops_.at(panel), range.first, range.second));
    return all;
  }

 private:
  using panel_and_variant = std::pair<std::string, std::string>;

  series point_of(const panel_and_variant& key) const {
    const auto& j = best_.at(key);
    series s;
    s.panel = key.first;
    s.colour = key.second;
    s.label = key.second + " at " + j.y->data->size;
    s.device = plain_device(*j.y, runs_);
    point p;
    p.x = j.y->data->value / j.x->data->value;
    p.y = j.y->data->value;
    s.points.push_back(p);
    return s;
  }

  std::span<const run> runs_;
  std::map<panel_and_variant, joined> best_;
  std::vector<panel_and_variant> order_;
  std::map<std::string, roofs> tops_;
};

// "mean curvature, double" of the parameter "flow=mean_curvature"
std::string panel_name(const row& of, bool names_parameter) {
  if (!names_parameter || of.parameter.empty()) return of.precision;
  return of.parameter.substr(of.parameter.find('=') + 1) + ", " + of.precision;
}

}  // namespace

std::optional<figure> make_roofline(const std::string& word, std::span<const shown_row> rows,
                                    std::span<const run> runs) {
  roofline_maker maker(runs);
  for (const auto& j : join(rows, "bandwidth_compulsory", "gflops")) {
    if (!j.y->published) maker.add(j);
  }
  figure f;
  f.lines = maker.lines();
  if (f.lines.empty()) return std::nullopt;
  f.id = word + "/roofline";
  f.title = "Roofline: the best rate of each variant";
  f.note =
      "Operations against bytes that must cross the memory bus, by each variant's own count. The grey line "
      "is "
      "what the device reached in the same run with nothing to do but copy, or multiply and add. A point "
      "above "
      "its slope was served by a cache; an arrow points to one that touches the memory once and stands "
      "further "
      "right.";
  f.x_label = "operations per byte";
  f.y_label = "GFLOP/s";
  f.unit = "GFLOP/s";
  f.log_x = f.log_y = f.is_roofline = true;
  return f;
}

std::optional<figure> make_work_precision(const std::string& word, std::span<const shown_row> rows,
                                          std::span<const run> runs) {
  figure f;
  f.id = word + "/work_precision";
  f.title = "Work and precision: error against time";
  f.note = "One point for each grid: the error in the L2 norm at the end against the time of the solve.";
  f.x_label = "time (s)";
  f.y_label = "error in the L2 norm";
  f.log_x = f.log_y = true;
  const auto cases = join(rows, "time_solve", "error_l2");
  std::vector<shown_row> errors;
  for (const auto& j : cases) errors.push_back(*j.y);
  const bool names_parameter = distinctions_between(errors).parameter;
  std::map<std::tuple<bool, std::string, std::string, std::string>, std::size_t> series_at;
  std::set<std::pair<std::size_t, std::string>> sizes;  // of which the first run counts
  for (const auto& j : cases) {
    const auto& d = *j.y->data;
    series s;
    s.published = j.y->published;
    s.device = plain_device(*j.y, runs);
    s.colour = short_name(d.variant);
    s.panel = panel_name(d, names_parameter);
    s.label = s.device + ", " + s.colour + ", " + s.panel + (s.published ? " (paper)" : "");
    const auto [at, is_new] =
        series_at.try_emplace({s.published, s.device, s.colour, s.panel}, f.lines.size());
    if (is_new) f.lines.push_back(std::move(s));
    if (!sizes.emplace(at->second, d.size).second) continue;
    point p;
    p.x = j.x->data->value;
    p.y = d.value;
    f.lines[at->second].points.push_back(p);
  }
  if (f.lines.empty()) return std::nullopt;
  for (auto& s : f.lines)
    std::stable_sort(s.points.begin(), s.points.end(),
                     [](const point& a, const point& b) { return a.x < b.x; });
  return f;
}

}  // namespace reprise::reports
