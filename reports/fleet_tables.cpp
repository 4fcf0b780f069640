// SPDX-License-Identifier: MIT
// A fleet as tables, for spreadsheets and for its page.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "reports/csv.hpp"
#include "reports/devices.hpp"
#include "reports/fleet_report.hpp"

namespace reprise::reports {
namespace {

std::size_t missing_cases(const fleet_node& n) {
  std::size_t missing = 0;
  for (const auto& i : n.interruptions) {
    for (const auto& [experiment, count] : i.missing) missing += count;
  }
  return missing;
}

std::size_t total(const fleet_report& report, std::size_t node, speed_verdict verdict) {
  std::size_t count = 0;
  for (const auto* s : report.speeds_of(node)) count += s->count(verdict);
  return count;
}

nlohmann::json to_json(const node_speed& s) {
  auto timings = nlohmann::json::array();
  for (const auto& f : s.timings) {
    timings.push_back({{"verdict", to_string(f.verdict)},
                       {"case", fmt::format("{} {} {} {} {}", f.of.experiment, short_name(f.of.variant),
                                            f.of.precision, f.of.size, f.of.parameter)},
                       {"metric", f.of.metric},
                       {"usual", f.a_seconds},
                       {"here", f.b_seconds},
                       {"percent", percent(f.between->estimate)},
                       {"floor", percent(f.floor.shift)},
                       {"source", f.floor.source}});
  }
  return {{"device", s.device},
          {"verdict", to_string(s.verdict())},
          {"slower", s.count(speed_verdict::slower)},
          {"faster", s.count(speed_verdict::faster)},
          {"undecided", s.count(speed_verdict::undecided)},
          {"middle", percent(s.middle)},
          {"timings", timings}};
}

nlohmann::json to_json(const fleet_report& report, std::size_t node) {
  const auto& n = report.of.nodes[node];
  nlohmann::json all{{"name", n.name},
                     {"type", report.of.types[n.type].name},
                     {"states", report.states_of(node)},
                     {"runs", nlohmann::json::array()},
                     {"wrong", nlohmann::json::array()},
                     {"interruptions", nlohmann::json::array()},
                     {"speeds", nlohmann::json::array()}};
  for (const auto& r : n.runs) all["runs"].push_back(r.folder.string());
  for (const auto& r : n.wrong) all["wrong"].push_back({{"case", case_text(r)}, {"reason", r.reason}});
  for (const auto& i : n.interruptions) {
    all["interruptions"].push_back(
        {{"folder", i.folder.string()}, {"cases", i.cases}, {"missing", missing_text(i)}});
  }
  for (const auto* s : report.speeds_of(node)) all["speeds"].push_back(to_json(*s));
  return all;
}

nlohmann::json to_json(const node_type& t) {
  return {{"name", t.name}, {"devices", t.devices}, {"nodes", t.nodes.size()}};
}

nlohmann::json to_json(const named_grid& g) {
  return {
      {"name", g.name}, {"title", g.content.title}, {"header", g.content.header}, {"lines", g.content.lines}};
}

using number_key =
    std::tuple<std::string, std::string, std::string, std::string, std::string, std::string, std::string>;

number_key key_of(const row& r) {
  return {r.experiment, r.variant, r.device, r.precision, r.size, r.parameter, r.metric};
}

std::map<number_key, row> typical_rows(const fleet& of, const node_type& type) {
  std::map<number_key, row> rows;
  for (auto& r : typical_run(of, type).rows) rows.emplace(key_of(r), r);
  return rows;
}

}  // namespace

std::string nodes_csv(const fleet_report& report) {
  auto text = csv::line({"node", "type", "devices", "states", "runs", "interrupted", "cases_missing",
                         "cases_wrong", "timings", "slower", "faster", "undecided"});
  for (std::size_t i = 0; i < report.of.nodes.size(); ++i) {
    const auto& n = report.of.nodes[i];
    const auto& type = report.of.types[n.type];
    std::size_t timings = 0;
    for (const auto* s : report.speeds_of(i)) timings += s->timings.size();
    text += csv::line({csv::cell(n.name), type.name, csv::cell(type.devices),
                       fmt::format("{}", fmt::join(report.states_of(i), " ")), std::to_string(n.runs.size()),
                       std::to_string(n.interruptions.size()), std::to_string(missing_cases(n)),
                       std::to_string(n.wrong.size()), std::to_string(timings),
                       std::to_string(total(report, i, speed_verdict::slower)),
                       std::to_string(total(report, i, speed_verdict::faster)),
                       std::to_string(total(report, i, speed_verdict::undecided))});
  }
  return text;
}

std::string timings_csv(const fleet_report& report) {
  std::vector<std::string> columns{"node", "type"};
  for (auto& c : csv_columns_of_findings()) columns.push_back(std::move(c));
  auto text = csv::line(columns);
  for (const auto& s : report.speeds) {
    const auto& n = report.of.nodes[s.node];
    for (const auto& f : s.timings) {
      std::vector<std::string> fields{csv::cell(n.name), report.of.types[n.type].name};
      for (auto& part : csv_fields(f)) fields.push_back(std::move(part));
      text += csv::line(fields);
    }
  }
  return text;
}

std::string medians_csv(const fleet_report& report) {
  auto text = csv::line({"node", "type", "experiment", "variant", "device", "precision", "size", "parameter",
                         "metric", "value", "unit", "samples", "type_median", "type_nodes"});
  for (const auto& type : report.of.types) {
    const auto typical = typical_rows(report.of, type);
    std::map<number_key, std::size_t> nodes;
    for (const auto i : type.nodes) {
      if (!report.of.nodes[i].counts()) continue;
      for (const auto& r : report.of.nodes[i].medians) ++nodes[key_of(r)];
    }
    for (const auto i : type.nodes) {
      const auto& n = report.of.nodes[i];
      if (!n.counts()) continue;
      for (const auto& r : n.medians) {
        const auto key = key_of(r);
        text += csv::line({csv::cell(n.name), type.name, csv::cell(r.experiment), csv::cell(r.variant),
                           csv::cell(r.device), csv::cell(r.precision), csv::cell(r.size),
                           csv::cell(r.parameter), csv::cell(r.metric), csv::number(r.value),
                           csv::cell(r.unit), std::to_string(r.samples), csv::number(typical.at(key).value),
                           std::to_string(nodes[key])});
      }
    }
  }
  return text;
}

nlohmann::json to_json(const fleet_report& report, std::span<const named_grid> types) {
  nlohmann::json all{{"schema", schema_version},
                     {"nodes", nlohmann::json::array()},
                     {"types", nlohmann::json::array()},
                     {"never_begun", nlohmann::json::array()},
                     {"tables", nlohmann::json::array()}};
  for (std::size_t i = 0; i < report.of.nodes.size(); ++i) all["nodes"].push_back(to_json(report, i));
  for (const auto& t : report.of.types) all["types"].push_back(to_json(t));
  for (const auto& folder : report.never_begun) all["never_begun"].push_back(folder.string());
  for (const auto& g : types) all["tables"].push_back(to_json(g));
  return all;
}

}  // namespace reprise::reports
