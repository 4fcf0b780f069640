// SPDX-License-Identifier: MIT
// Turns a report into JSON. A number that is not there is null.
#include "reports/report_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace reprise::reports {
namespace {

using nlohmann::json;

json number(double value) {
  return std::isfinite(value) ? json(value) : json(nullptr);
}

std::string source(bool published) {
  return published ? "published" : "measured";
}

json run_json(const run& r, const std::string& folder) {
  json object = {{"started", ""}, {"host", ""}, {"cpu", ""}, {"devices", json::array()}};
  if (r.description.is_object()) object.update(r.description);
  object["name"] = name_of(r);
  object["folder"] = r.folder.generic_string();
  object["rows_file"] = "rows/" + folder + "/rows.csv";
  object["samples_file"] = "rows/" + folder + "/samples.csv";
  object["warnings"] = r.warnings;
  object["numbers"] =
      std::count_if(r.rows.begin(), r.rows.end(), [](const row& m) { return m.status == "ok"; });
  return object;
}

// The page of the row's case; empty where it has none.
std::string link_of(const row* r, const case_links& links) {
  const auto found = links.find(r);
  return found == links.end() ? std::string() : found->second;
}

json table_json(const table& t, const case_links& links) {
  auto columns = t.head_columns;
  columns.insert(columns.end(), t.columns.begin(), t.columns.end());
  json lines = json::array();
  for (const auto& line : t.lines) {
    auto cells = line.head;
    std::vector<std::string> cases(cells.size());
    for (const auto& c : line.cells) {
      cells.push_back(to_text(c));
      cases.push_back(link_of(c.from, links));
    }
    json shown = {{"source", source(line.published)}, {"cells", cells}};
    if (!line.published) shown["cases"] = cases;
    lines.push_back(std::move(shown));
  }
  return {{"id", t.id},     {"kind", "table"},    {"title", t.title}, {"note", t.note},
          {"unit", t.unit}, {"columns", columns}, {"rows", lines},    {"figure", nullptr}};
}

json series_json(const series& s, bool has_bars) {
  json x = json::array(), y = json::array(), q1 = json::array(), q3 = json::array();
  for (const auto& p : s.points) {
    x.push_back(has_bars ? json(p.x_name) : number(p.x));
    y.push_back(number(p.y));
    q1.push_back(number(p.q1));
    q3.push_back(number(p.q3));
  }
  return {{"label", s.label},
          {"source", source_of(s)},
          {"device", s.device},
          {"variant", s.variant},
          {"panel", s.panel},
          {"colour", s.colour},
          {"x", x},
          {"y", y},
          {"q1", q1},
          {"q3", q3}};
}

std::string kind_of(const figure& f) {
  if (f.has_bars) return "bar";
  if (f.is_roofline) return "roofline";
  return f.is_scatter ? "scatter" : "line";
}

json figure_json(const figure& f) {
  json lines = json::array();
  for (const auto& s : f.lines) lines.push_back(series_json(s, f.has_bars));
  const json drawing = {{"x_label", f.x_label}, {"y_label", f.y_label}, {"log_x", f.log_x},
                        {"log_y", f.log_y},     {"kind", kind_of(f)},   {"series", lines}};
  return {{"id", f.id},     {"kind", "figure"},         {"title", f.title},      {"note", f.note},
          {"unit", f.unit}, {"columns", json::array()}, {"rows", json::array()}, {"figure", drawing}};
}

// A text for each line of the grid: JSON that people can read has one number a line, and a field has
// thousands.
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

json field_figure_json(const field_figure& f) {
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
  return {{"id", f.id},         {"kind", "fields"}, {"title", f.title},         {"note", f.note},
          {"reason", f.reason}, {"unit", ""},       {"columns", json::array()}, {"rows", json::array()},
          {"figure", nullptr},  {"fields", drawing}};
}

json claim_json(const claim& c, const judgement& j, const case_links& links) {
  json cases = json::array();
  for (const auto* r : j.rows) cases.push_back(link_of(r, links));
  return {{"id", c.id},
          {"place", c.place},
          {"claim", c.text},
          {"class", to_string(c.kind)},
          {"quantity", c.quantity_text},
          {"published", number(c.published)},
          {"measured", number(j.measured)},
          {"unit", c.unit},
          {"verdict", to_string(j.outcome)},
          {"basis", j.basis},
          {"cases", cases},
          {"reason", j.reason}};
}

json derived_json(const derived_cell& cell, const recomputation& found) {
  return {{"id", cell.id},
          {"place", cell.place},
          {"quantity", cell.quantity_text},
          {"printed", number(cell.printed)},
          {"rounding", number(cell.rounding)},
          {"recomputed", number(found.value)},
          {"low", number(found.low)},
          {"high", number(found.high)},
          {"agrees", found.agrees},
          {"arithmetic", found.arithmetic},
          {"reason", cell.reason}};
}

json paper_json(const paper& p, const case_links& links) {
  json items = json::array(), missing = json::array();
  auto next_table = p.tables.begin();
  auto next_figure = p.figures.begin();
  auto next_fields = p.field_figures.begin();
  for (const auto& item : p.items) {
    switch (item.shape) {
      case layout::kind::table:
        items.push_back(table_json(*next_table++, links));
        break;
      case layout::kind::figure:
        items.push_back(figure_json(*next_figure++));
        break;
      case layout::kind::fields:
        items.push_back(field_figure_json(*next_fields++));
        break;
    }
  }
  for (const auto& m : p.missing) {
    missing.push_back(
        {{"variant", m.variant}, {"device", m.device}, {"status", m.status}, {"reason", m.reason}});
  }
  json object = to_json(p.judged, links);
  object.update({{"word", p.word},
                 {"title", p.title},
                 {"items", items},
                 {"assumptions", p.assumptions},
                 {"not_run", missing}});
  return object;
}

}  // namespace

json to_json(const ledger& of, const case_links& links) {
  json claims = json::array(), derived = json::array();
  for (std::size_t i = 0; i < of.claims.size(); ++i)
    claims.push_back(claim_json(of.claims[i], of.judgements[i], links));
  for (std::size_t i = 0; i < of.derived.size(); ++i)
    derived.push_back(derived_json(of.derived[i], of.recomputed[i]));
  return {{"claims", claims}, {"derived", derived}};
}

json to_json(std::span<const run> runs, const std::vector<std::string>& folders,
             std::span<const paper> papers, const case_links& links) {
  json run_list = json::array(), paper_list = json::array(), summary = json::object();
  for (std::size_t i = 0; i < runs.size(); ++i) run_list.push_back(run_json(runs[i], folders[i]));
  for (const auto v : all_verdicts) summary[std::string(to_string(v))] = 0;
  for (const auto& p : papers) {
    paper_list.push_back(paper_json(p, links));
    for (const auto& [v, count] : count_verdicts(p.judged.judgements)) {
      auto& sum = summary[std::string(to_string(v))];
      sum = sum.get<std::size_t>() + count;
    }
  }
  return {{"schema", schema_version},
          {"runs", run_list},
          {"summary", summary},
          {"telling", telling_lines(papers)},
          {"papers", paper_list}};
}

}  // namespace reprise::reports
