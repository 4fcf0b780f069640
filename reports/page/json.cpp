// SPDX-License-Identifier: MIT
// Converts a report to JSON. A missing number becomes null.
#include "reports/page/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "reports/page/highlights.hpp"
#include "reports/page/printed_text.hpp"
#include "reports/store/devices.hpp"
#include "reports/store/files.hpp"

namespace reprise::reports {
namespace {

using nlohmann::json;

json run_json(const run& r, const std::string& folder) {
  json object = {
      {"started", ""}, {"host", ""}, {"cpu", ""}, {"devices", json::array()}, {"request", json::object()}};
  if ((*r.description).is_object()) object.update(*r.description);
  object["name"] = safe_name(name_of(r)) == folder ? name_of(r) : folder;  // folders of one name have numbers
  object["folder"] = r.folder.generic_string();
  object["rows_file"] = "rows/" + folder + "/rows.csv";
  object["samples_file"] = "rows/" + folder + "/samples.csv";
  object["warnings"] = r.warnings;
  object["reservations"] = reservations_about(r);
  object["checked_after"] = std::ranges::any_of(
      r.rows, [](const row& m) { return m.status == "ok" && m.metric.starts_with("timed_"); });
  object["labels"] = json::object();
  object["processors"] = json::array();
  for (const auto& [id, name] : listed_devices(r)) {
    object["labels"][id] = device_on_page(r, id);
    if (is_processor(r, id)) object["processors"].push_back(id);
  }
  object["numbers"] =
      std::count_if(r.rows.begin(), r.rows.end(), [](const row& m) { return m.status == "ok"; });
  return object;
}

// The page of the row's case; empty if it has none.
std::string link_of(const row* r, const case_links& links) {
  const auto found = links.find(r);
  return found == links.end() ? std::string() : found->second;
}

json values_of(const series& s, double point::*part) {
  json values = json::array();
  for (const auto& p : s.points) values.push_back(p.*part);
  return values;
}

json series_json(const series& s, bool has_bars) {
  json x = values_of(s, &point::x);
  for (std::size_t i = 0; has_bars && i < x.size(); ++i) x[i] = s.points[i].x_name;
  return {{"label", s.label},
          {"source", source_of(s)},
          {"device", s.device},
          {"variant", s.variant},
          {"panel", s.panel},
          {"colour", s.colour},
          {"x", x},
          {"y", values_of(s, &point::y)},
          {"q1", values_of(s, &point::q1)},
          {"q3", values_of(s, &point::q3)}};
}

std::string kind_of(const figure& f) {
  if (f.has_bars) return "bar";
  if (f.is_roofline) return "roofline";
  return f.is_scatter ? "scatter" : "line";
}

json item_json(const figure& f, const case_links&) {
  json lines = json::array();
  for (const auto& s : f.lines) lines.push_back(series_json(s, f.has_bars));
  const json drawing = {{"x_label", f.x_label},
                        {"y_label", f.y_label},
                        {"log_x", f.log_x},
                        {"log_y", f.log_y},
                        {"own_scales", f.has_own_scales},
                        {"linear_x", f.has_linear_x},
                        {"kind", kind_of(f)},
                        {"series", lines}};
  return {{"id", f.id},     {"kind", "figure"}, {"title", f.title},
          {"note", f.note}, {"unit", f.unit},   {"figure", drawing}};
}

// One text for each line of the grid, because indented JSON would put each of a field's
// thousands of values on its own line.
json lines_of_values(const field& f) {
  json lines = json::array();
  for (auto from = f.values.begin(); from != f.values.end(); from += f.nx) {
    std::string line;
    for (auto value = from; value != from + f.nx; ++value) {
      fmt::format_to(std::back_inserter(line), "{}{:.4g}", value == from ? "" : " ", *value);
    }
    lines.push_back(line);
  }
  return lines;
}

json panel_json(const field& f) {
  return {{"name", f.name}, {"nx", f.nx}, {"ny", f.ny}, {"x0", f.x0},
          {"x1", f.x1},     {"y0", f.y0}, {"y1", f.y1}, {"values", lines_of_values(f)}};
}

json item_json(const table& t, const case_links& links) {
  auto object = to_json(t, links);
  object["kind"] = "table";
  return object;
}

json item_json(const field_figure& f, const case_links&) {
  json lines = json::array();
  for (const auto& line : f.lines) {
    json panels = json::array();
    for (const auto& p : line.panels) panels.push_back(p ? panel_json(*p) : json(nullptr));
    lines.push_back(
        {{"label", line.label}, {"device", line.device}, {"variant", line.variant}, {"panels", panels}});
  }
  const json drawing = {{"drawing", f.has_surfaces ? "surface" : "colour map"},
                        {"quantity", f.quantity},
                        {"names", f.names},
                        {"lines", lines},
                        {"left_out", f.left_out}};
  return {{"id", f.id},     {"kind", "fields"},   {"title", f.title},
          {"note", f.note}, {"reason", f.reason}, {"fields", drawing}};
}

json part_json(const judged_part& p) {
  return {{"label", p.label},
          {"value", p.measured.value},
          {"low", p.measured.low},
          {"high", p.measured.high},
          {"within", p.limit == standing::inside},
          {"arithmetic", p.arithmetic}};
}

// The range in which a claim's quantity holds it, null where an end is open.
json range_json(const range& r) {
  const auto end = [](double value) { return std::isfinite(value) ? json(value) : json(nullptr); };
  return {{"low", end(r.low)}, {"high", end(r.high)}};
}

json claim_json(const claim& c, const judgement& j, const case_links& links, const reserves& known) {
  json cases = json::array(), parts = json::array();
  for (const auto* r : j.rows) cases.push_back(link_of(r, links));
  for (const auto& p : j.parts) parts.push_back(part_json(p));
  return {{"id", c.id},
          {"headline", c.headline},
          {"place", c.place},
          {"claim", c.text},
          {"class", to_string(c.kind)},
          {"quantity", c.quantity_text},
          {"published", c.published},
          {"measured", j.measured.value},
          {"low", j.measured.low},
          {"high", j.measured.high},
          {"unit", c.unit},
          {"bound", c.limit ? c.limit->id : ""},
          {"within", c.limit ? range_json(c.limits()) : json(nullptr)},
          {"partly_within", c.partly ? range_json(c.partly_limits()) : json(nullptr)},
          {"verdict", to_string(j.outcome)},
          {"parts", parts},
          {"basis", j.basis},
          {"cases", cases},
          {"reserves", known.about(j.rows)},
          {"runs", known.runs_of(j.rows)},
          {"absence", j.absence},
          {"reason", j.reason},
          {"takes", j.takes}};
}

// The names of the papers' variants by their ids.
json names_of(std::span<const paper> papers) {
  std::unordered_map<shared_text, shared_text> names;
  for (const auto& p : papers)
    for (const auto& r : p.rows) names.emplace(r.data->variant, r.variant);
  json object = json::object();
  for (const auto& [id, name] : names) object[id.str()] = name;
  return object;
}

// The verdicts of each class.
json summary_of(std::span<const paper> papers) {
  json summary = json::object();
  for (const auto kind : all_classes) {
    auto& counts = summary[std::string(to_string(kind))] = json::object();
    for (const auto& p : papers) {
      for (const auto& [v, count] : counts_of(p.judged, kind)) {
        auto& sum = counts[std::string(to_string(v))];
        sum = sum.is_null() ? count : sum.get<std::size_t>() + count;
      }
    }
  }
  return summary;
}

json derived_json(const derived_cell& cell, const recomputation& r) {
  return {{"id", cell.id},
          {"place", cell.place},
          {"quantity", cell.expression.text},
          {"printed", cell.printed},
          {"rounding", cell.rounding},
          {"recomputed", r.value},
          {"low", r.low},
          {"high", r.high},
          {"agrees", r.agrees},
          {"arithmetic", r.arithmetic},
          {"reason", cell.reason}};
}

json paper_json(const paper& p, std::span<const run> runs, const case_links& links) {
  json items = json::array(), missing = json::array();
  for (const auto& i : p.items)
    items.push_back(std::visit([&](const auto& one) { return item_json(one, links); }, i));
  json printed = json::array();
  for (const auto& t : p.printed) printed.push_back(to_json(t, links));
  for (const auto& m : p.missing) {
    missing.push_back({{"variant", m.variant},
                       {"id", m.variant_id},
                       {"device", m.device},
                       {"status", m.status},
                       {"reason", m.reason}});
  }
  json object = to_json(p.judged, links, reserves(runs, p.published.rows));
  object.update({{"word", p.word},
                 {"title", p.title},
                 {"name", p.name},
                 {"about", p.about},
                 {"cited", p.cited},
                 {"items", items},
                 {"printed", printed},
                 {"assumptions", p.assumptions},
                 {"not_run", missing}});
  return object;
}

json device_json(const device_summary& d, const case_links& links) {
  json roofs = json::array(), items = json::array({item_json(d.nearest, links)});
  for (const auto& r : d.roofs) {
    roofs.push_back({{"way", r.way},
                     {"precision", r.precision},
                     {"roof", r.name},
                     {"unit", r.unit},
                     {"low", r.low},
                     {"middle", r.middle},
                     {"high", r.high},
                     {"runs", r.runs}});
  }
  if (d.roofline) items.push_back(item_json(*d.roofline, links));
  json described = json::array();
  for (const auto& one : d.descriptions) described.push_back(*one);
  return {{"name", d.name},         {"page", d.page}, {"runs", d.runs},
          {"described", described}, {"roofs", roofs}, {"items", items}};
}

}  // namespace

json to_json(const assessment& all, const case_links& links, const reserves& known) {
  json claims = json::array(), derived = json::array();
  for (std::size_t i = 0; i < all.claims.size(); ++i)
    claims.push_back(claim_json(all.claims[i], all.judgements[i], links, known));
  for (std::size_t i = 0; i < all.derived.size(); ++i)
    derived.push_back(derived_json(all.derived[i], all.recomputed[i]));
  return {{"claims", claims}, {"derived", derived}};
}

json to_json(std::span<const paper_limits> all, const case_links& links) {
  json papers = json::array();
  for (const auto& of : all) {
    auto lines = item_json(table_of(of), links);
    lines.update({{"word", of.word}, {"work", of.work}});
    papers.push_back(lines);
  }
  return papers;
}

json to_json(std::span<const run> runs, const std::vector<std::string>& folders,
             std::span<const paper> papers, std::span<const device_summary> devices,
             const case_links& links) {
  json run_list = json::array(), paper_list = json::array(), device_list = json::array();
  for (std::size_t i = 0; i < runs.size(); ++i) run_list.push_back(run_json(runs[i], folders[i]));
  for (const auto& p : papers) paper_list.push_back(paper_json(p, runs, links));
  for (const auto& d : devices) device_list.push_back(device_json(d, links));
  return {{"schema", report_schema},       {"runs", run_list},
          {"summary", summary_of(papers)}, {"highlights", highlights(papers)},
          {"devices", device_list},        {"variants", names_of(papers)},
          {"papers", paper_list}};
}

}  // namespace reprise::reports
