// SPDX-License-Identifier: MIT
// Turns rows into the series of a figure.
#include "reports/page/figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "reports/store/csv.hpp"
#include "reports/store/parameters.hpp"
#include "reports/text/table.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::reports {
namespace {

constexpr std::string_view parameter_prefix = "parameter:";

// "dt" of "parameter:dt"; empty for any other x.
std::string_view swept_parameter(const layout& shape) {
  const std::string_view x = shape.x;
  return x.starts_with(parameter_prefix) ? x.substr(parameter_prefix.size()) : std::string_view();
}

void check(const layout& shape) {
  const auto swept = swept_parameter(shape);
  const bool has_name = !swept.empty() && swept.find_first_of("=; ") == std::string_view::npos;
  if (shape.metrics.empty() || (shape.metrics.size() > 1 && !shape.panel_by.empty()) ||
      (shape.x != "width" && shape.x != "nodes" && shape.x != "variant" && !has_name)) {
    throw error(
        "layout " + shape.id +
        ": a figure has a metric or panels for several, and x is width, nodes, variant or parameter:NAME");
  }
  if (shape.log_x && shape.x == "variant") {
    throw error("layout " + shape.id + ": variants have no logarithm");
  }
}

// The published points of a figure whose numbers the paper prints in tables: copies of the rows of y, at the x that the
// same case has.
struct published_pair {
  row data;
  shared_text variant;  // its name
};
std::vector<published_pair> published_pairs(const layout& shape, std::span<const shown_row> rows) {
  std::vector<published_pair> pairs;
  if (shape.published_y.empty()) return pairs;
  for (const auto& y : rows) {
    if (!y.published || !has_value(y) || y.data->metric != shape.published_y) continue;
    const auto x = std::ranges::find_if(rows, [&](const shown_row& other) {
      return other.published && other.data->metric == shape.published_x && same_case(*other.data, *y.data);
    });
    if (x == rows.end()) continue;
    row& pair = pairs.emplace_back(published_pair{*y.data, y.variant}).data;
    pair.experiment = shape.id;
    pair.metric = shape.metrics.front();
    pair.parameter = fmt::format("{};precision={};{}={}", pair.parameter.str(), pair.precision.str(),
                                 swept_parameter(shape), x->data->value);
  }
  return pairs;
}

struct place {
  double x{};
  std::string panel, colour;
};

// Determines each row's place. Replaces the rows by copies whose parameter lacks the parts that determined
// the place; the remaining parts distinguish series.
std::vector<place> take_places(const layout& shape, std::vector<shown_row>& rows, std::vector<row>& copies) {
  std::vector<place> places;
  const auto swept = swept_parameter(shape);
  copies.reserve(rows.size());
  for (auto& r : rows) {
    row& copy = copies.emplace_back(*r.data);
    place& here = places.emplace_back();
    const parameters all(copy.parameter);
    here.x = !swept.empty()       ? all.number(swept)
             : shape.x == "nodes" ? nodes_of(copy.size)
                                  : width_of(copy.size);
    here.panel = all.text_of(shape.panel_by);
    here.colour = all.text_of(shape.colour_by);
    copy.parameter = all.without(swept).without(shape.panel_by).without(shape.colour_by).text();
    r.data = &copy;
  }
  return places;
}

std::string readable(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

series new_series(const shown_row& r, const place& at, const distinctions& differ, bool has_bars,
                  bool names_size) {
  series s{.label = r.device,
           .published = r.published,
           .device = r.device,
           .panel = at.panel,
           .colour = at.colour};
  if (!has_bars) {
    s.variant = r.variant;
    s.variant_id = short_name(r.data->variant);
  }
  const auto add = [&](const std::string& part) {
    if (!part.empty()) s.label += (s.label.empty() ? "" : ", ") + part;
  };
  add(s.variant);
  if (differ.precision && at.panel != r.data->precision) add(r.data->precision);
  if (differ.parameter) add(r.data->parameter);
  if (differ.size && names_size) add(r.data->size);
  add(at.panel);
  add(at.colour);
  if (r.published) s.label += " (paper)";
  return s;
}

}  // namespace

figure make_figure(const layout& shape, std::span<const shown_row> all_rows) {
  check(shape);
  const auto pairs = published_pairs(shape, all_rows);
  auto rows = rows_of(shape, all_rows);
  for (std::size_t i = 0; i < pairs.size(); ++i)
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(i),
                {&pairs[i].data, true, pairs[i].data.device, pairs[i].variant, 0, 0});
  std::erase_if(rows, [](const shown_row& r) { return !has_value(r); });
  std::vector<row> copies;
  auto places = take_places(shape, rows, copies);
  const auto swept = swept_parameter(shape);
  const auto differ = distinctions_between(rows);
  const auto unit = unit_of(shape.metrics.front(), rows);
  // Colours show `colour_by`, and markers variants and devices, so precisions need panels of their own.
  if (!shape.colour_by.empty() && shape.panel_by.empty() && differ.precision) {
    for (std::size_t i = 0; i < rows.size(); ++i) places[i].panel = rows[i].data->precision;
  }

  const bool has_metrics = shape.metrics.size() > 1;
  const auto name_of = [&](const std::string& metric) {
    return with_unit(readable(metric), unit_of(metric, rows));
  };
  for (std::size_t i = 0; has_metrics && i < rows.size(); ++i)
    places[i].panel = name_of(rows[i].data->metric);

  figure f{.id = shape.id,
           .title = shape.title,
           .note = shape.note,
           .x_label = !shape.x_label.empty() ? shape.x_label
                      : swept.empty()        ? shape.x
                                             : std::string(swept),
           .y_label = has_metrics              ? ""
                      : !shape.y_label.empty() ? shape.y_label
                                               : name_of(shape.metrics.front()),
           .unit = unit,
           .log_x = shape.log_x,
           .log_y = shape.log_y,
           .has_linear_x = shape.has_linear_x,
           .has_bars = shape.x == "variant",
           .has_own_scales = has_metrics,
           .is_scatter = swept == "time"};  // time is a measured quantity, so points are not joined
  std::map<std::tuple<bool, std::size_t, std::string, std::string>, std::size_t> series_at;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& r = rows[i];
    auto next = new_series(r, places[i], differ, f.has_bars, f.has_bars || !swept.empty());
    if (!has_metrics && r.data->unit != unit) next.label = with_unit(next.label, r.data->unit);
    const auto [known, is_new] =
        series_at.try_emplace({!r.published, r.run_rank, r.data->device, next.label}, f.lines.size());
    if (is_new) f.lines.push_back(std::move(next));
    point p{.y = r.data->value, .q1 = r.data->q1, .q3 = r.data->q3};
    if (f.has_bars) {
      p.x_name = r.variant;
      p.x_id = short_name(r.data->variant);
    } else {
      p.x = places[i].x;
    }
    if (f.has_bars || std::isfinite(p.x)) f.lines[known->second].points.push_back(p);
  }
  if (f.has_bars) return f;
  for (auto& s : f.lines) std::ranges::stable_sort(s.points, {}, &point::x);
  return f;
}

std::string source_of(const series& s) {
  return s.is_roof ? "roof" : s.published ? "published" : "measured";
}

std::string to_csv(const figure& f) {
  auto text = csv::line({"series", "source", "device", "variant", "x", "y", "q1", "q3"});
  for (const auto& s : f.lines) {
    for (const auto& p : s.points) {
      text += csv::cells(s.label, source_of(s), s.device, f.has_bars ? p.x_id : s.variant_id,
                         f.has_bars ? p.x_id : csv::number(p.x), p.y, p.q1, p.q3);
    }
  }
  return text;
}

}  // namespace reprise::reports
