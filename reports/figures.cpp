// SPDX-License-Identifier: MIT
// Turns rows into the series of a figure.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <tuple>

#include "reports/csv.hpp"
#include "reports/pivot.hpp"
#include "reports/tables.hpp"
#include "solvers/common/error.hpp"

namespace reprise::reports {
namespace {

// The number that the text begins with; NaN where there is none.
double leading_number(std::string_view text) {
  double value = no_value;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() ? value : no_value;
}

// x of a size "512x1024": its width, or all its nodes. NaN where the size is not of that form.
double x_of(const std::string& size, bool wants_nodes) {
  double product = leading_number(size);
  if (!wants_nodes) return product;
  for (auto times = size.find('x'); times != std::string::npos; times = size.find('x', times + 1)) {
    product *= leading_number(std::string_view(size).substr(times + 1));
  }
  return product;
}

constexpr std::string_view parameter_prefix = "parameter:";

// "dt" of "parameter:dt"; empty for any other x.
std::string_view swept_parameter(const layout& shape) {
  const std::string_view x = shape.x;
  return x.starts_with(parameter_prefix) ? x.substr(parameter_prefix.size()) : std::string_view();
}

void check(const layout& shape) {
  const auto swept = swept_parameter(shape);
  const bool has_name = !swept.empty() && swept.find_first_of("=; ") == std::string_view::npos;
  if (shape.metrics.size() != 1 ||
      (shape.x != "width" && shape.x != "nodes" && shape.x != "variant" && !has_name)) {
    throw error("layout " + shape.id +
                ": a figure has one metric, and x is width, nodes, variant or parameter:NAME");
  }
  if (shape.log_x && shape.x == "variant") {
    throw error("layout " + shape.id + ": variants have no logarithm");
  }
}

// Takes "NAME=text" out of a parameter; nothing where there is no such part.
std::string take_part(std::string& parameter, std::string_view name) {
  std::string value;
  bool is_taken = false;
  std::string rest;
  std::string_view left = parameter;
  while (!left.empty()) {
    const auto part = left.substr(0, left.find(';'));
    left.remove_prefix(std::min(part.size() + 1, left.size()));
    const auto named = part.substr(std::min(part.find_first_not_of(' '), part.size()));
    if (!is_taken && !name.empty() && named.starts_with(name) && named.substr(name.size()).starts_with('=')) {
      is_taken = true;
      value = named.substr(name.size() + 1);
    } else if (!part.empty()) {
      rest += (rest.empty() ? "" : ";") + std::string(part);
    }
  }
  parameter = rest;
  return value;
}

// NaN where the text is not a number from end to end.
double whole_number(const std::string& text) {
  double value = no_value;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  return code == std::errc() && end == text.data() + text.size() ? value : no_value;
}

struct place {
  double x{};
  std::string panel, colour;
};

// Where each row belongs. The rows are replaced by copies whose parameter lacks the parts that said so: what
// is left of it tells series apart.
std::vector<place> take_places(const layout& shape, std::vector<shown_row>& rows, std::vector<row>& copies) {
  std::vector<place> places;
  const auto swept = swept_parameter(shape);
  copies.reserve(rows.size());
  for (auto& r : rows) {
    row& copy = copies.emplace_back(*r.data);
    place& here = places.emplace_back();
    here.x =
        swept.empty() ? x_of(copy.size, shape.x == "nodes") : whole_number(take_part(copy.parameter, swept));
    here.panel = take_part(copy.parameter, shape.panel_by);
    here.colour = take_part(copy.parameter, shape.colour_by);
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
  series s;
  s.panel = at.panel;
  s.colour = at.colour;
  s.published = r.published;
  s.device = r.device;
  if (!has_bars) s.variant = short_name(r.data->variant);
  s.label = s.device;
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
  auto rows = rows_of(shape, all_rows);
  std::erase_if(rows, [](const shown_row& r) { return !has_value(r); });
  std::vector<row> copies;
  auto places = take_places(shape, rows, copies);
  const auto swept = swept_parameter(shape);
  const auto differ = distinctions_between(rows);
  const auto unit = unit_of(shape.metrics.front(), rows);
  // Where colours are named markers tell variants and devices, and nothing is left to tell precisions.
  if (!shape.colour_by.empty() && shape.panel_by.empty() && differ.precision) {
    for (std::size_t i = 0; i < rows.size(); ++i) places[i].panel = rows[i].data->precision;
  }

  figure f;
  f.id = shape.id;
  f.title = shape.title;
  f.note = shape.note;
  f.x_label = swept.empty() ? shape.x : std::string(swept);
  f.log_x = shape.log_x;
  f.log_y = shape.log_y;
  f.unit = unit;
  f.y_label = with_unit(readable(shape.metrics.front()), unit);
  f.has_bars = shape.x == "variant";
  f.is_scatter = swept == "time";  // was measured too, so that nothing leads from one point to the next
  std::map<std::tuple<bool, std::size_t, std::string, std::string>, std::size_t> series_at;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& r = rows[i];
    auto next = new_series(r, places[i], differ, f.has_bars, f.has_bars || !swept.empty());
    if (r.data->unit != unit) next.label = with_unit(next.label, r.data->unit);
    const auto [known, is_new] =
        series_at.try_emplace({!r.published, r.run_rank, r.data->device, next.label}, f.lines.size());
    if (is_new) f.lines.push_back(std::move(next));
    point p;
    p.y = r.data->value;
    p.q1 = r.data->q1;
    p.q3 = r.data->q3;
    if (f.has_bars) {
      p.x_name = short_name(r.data->variant);
    } else {
      p.x = places[i].x;
      if (!std::isfinite(p.x)) continue;
    }
    f.lines[known->second].points.push_back(p);
  }
  if (!f.has_bars) {
    for (auto& s : f.lines) {
      std::stable_sort(s.points.begin(), s.points.end(),
                       [](const point& a, const point& b) { return a.x < b.x; });
    }
  }
  return f;
}

std::string source_of(const series& s) {
  return s.is_roof ? "roof" : s.published ? "published" : "measured";
}

std::string to_csv(const figure& f) {
  auto text = csv::line({"series", "source", "device", "variant", "x", "y", "q1", "q3"});
  for (const auto& s : f.lines) {
    for (const auto& p : s.points) {
      text += csv::line({csv::cell(s.label), source_of(s), csv::cell(s.device),
                         csv::cell(f.has_bars ? p.x_name : s.variant),
                         f.has_bars ? csv::cell(p.x_name) : csv::number(p.x), csv::number(p.y),
                         csv::number(p.q1), csv::number(p.q3)});
    }
  }
  return text;
}

}  // namespace reprise::reports
