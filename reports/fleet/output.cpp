// SPDX-License-Identifier: MIT
// Writes a fleet as text, as tables for spreadsheets, and for its page.
#include "reports/fleet/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/store/csv.hpp"

namespace reprise::reports {
namespace {

constexpr std::size_t most_shown = 3;

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::size_t right_nodes(const fleet& of, const node_type& type) {
  return static_cast<std::size_t>(
      std::ranges::count_if(type.nodes, [&](std::size_t i) { return of.nodes[i].counts(); }));
}

// "3 of jacobi/table4, 1 of tissue/order"
std::string missing_text(const interruption& i) {
  if (!i.is_measurable) return "no finished node of its type tells what is missing";
  if (i.missing.empty()) return "of what the others have nothing is missing";
  std::vector<std::string> parts;
  for (const auto& [experiment, count] : i.missing)
    parts.push_back(fmt::format("{} of {}", count, experiment));
  return fmt::format("missing: {}", fmt::join(parts, ", "));
}

std::string about_types(const fleet& of) {
  std::size_t runs = 0;
  for (const auto& n : of.nodes) runs += n.runs.size();
  auto text = fmt::format("{} in {}\n", counted(of.nodes.size(), "node"), counted(runs, "run"));
  for (const auto& t : of.types) {
    text += fmt::format("{}: {}, {}\n", t.name, counted(t.nodes.size(), "node"), t.devices);
    const auto right = right_nodes(of, t);
    if (right < fewest_alike) {
      text +=
          t.nodes.size() == 1
              ? fmt::format("        one node cannot be compared: {} of its type are needed\n", fewest_alike)
              : fmt::format("        which of them is slow cannot be told from {}: {} are needed\n",
                            counted(right, "right node"), fewest_alike);
    }
  }
  return text;
}

std::string about_wrong(const fleet_node& n) {
  auto text = fmt::format("WRONG       {}: {}; the node is left out of all that follows\n", n.name,
                          counted(n.wrong.size(), "case"));
  for (std::size_t i = 0; i < std::min(most_shown, n.wrong.size()); ++i) {
    text += fmt::format("            {}: {}\n", case_text(n.wrong[i]), n.wrong[i].reason);
  }
  if (n.wrong.size() > most_shown)
    text += fmt::format("            and {} more\n", n.wrong.size() - most_shown);
  return text;
}

std::string about_interruption(const fleet_node& n, const interruption& i) {
  return fmt::format(
      "INCOMPLETE  {}: the run ended after {}; {}\n"
      "            finish it there: reprise run --resume --out {}\n",
      n.name, counted(i.cases, "case"), missing_text(i), i.folder.string());
}

std::string about_speed(const fleet_node& n, const node_speed& s) {
  const auto change = s.change();
  auto text = fmt::format(
      "{:<11} {} on {}: {} of {}, all of them by {:+.1f} % at the median; most (usual node -> this one):\n",
      to_string(change), n.name, s.device, s.count(change), counted(s.timings.size(), "timing"),
      percent(s.middle));
  std::size_t shown = 0;
  for (const auto& f : s.timings) {
    if (f.change != change || shown++ >= most_shown) continue;
    text += fmt::format("            {}\n              {}\n", timing_text(f.of), numbers_text(f));
  }
  return text;
}

std::string about_good_nodes(const fleet_report& report) {
  constexpr std::size_t most_names = 12;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < report.of.nodes.size(); ++i) {
    if (report.states_of(i).front() == "good") names.push_back(report.of.nodes[i].name);
  }
  if (names.empty() && report.speeds.empty())
    return "no node was compared, so none can be called as fast as others of its type\n";
  if (names.empty()) return "no node is right, complete and as fast as others of its type\n";
  const auto listed = std::span(names).first(std::min(names.size(), most_names));
  return fmt::format("{} right, complete and as fast as others of {} type: {}{}\n",
                     names.size() == 1 ? "1 node is" : fmt::format("{} nodes are", names.size()),
                     names.size() == 1 ? "its" : "their", fmt::join(listed, ", "),
                     names.size() > most_names ? ", ..." : "");
}

std::size_t missing_cases(const fleet_node& n) {
  std::size_t missing = 0;
  for (const auto& i : n.interruptions) {
    for (const auto& [experiment, count] : i.missing) missing += count;
  }
  return missing;
}

std::size_t total(const fleet_report& report, std::size_t node, speed_change change) {
  std::size_t count = 0;
  for (const auto* s : report.speeds_of(node)) count += s->count(change);
  return count;
}

nlohmann::json to_json(const node_speed& s) {
  auto timings = nlohmann::json::array();
  for (const auto& f : s.timings) {
    timings.push_back({{"verdict", to_string(f.change)},
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
          {"verdict", to_string(s.change())},
          {"slower", s.count(speed_change::slower)},
          {"faster", s.count(speed_change::faster)},
          {"undecided", s.count(speed_change::undecided)},
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

std::map<number_id, row> typical_rows(const fleet& of, const node_type& type) {
  std::map<number_id, row> rows;
  for (auto& r : typical_run(of, type).rows) rows.emplace(r, r);
  return rows;
}

}  // namespace

std::string to_text(const fleet_report& report) {
  const auto& nodes = report.of.nodes;
  auto text = about_types(report.of) + '\n';
  for (const auto& n : nodes) {
    if (!n.counts()) text += about_wrong(n);
  }
  for (const auto& folder : report.never_begun) {
    text += fmt::format("INCOMPLETE  {}: the folder is empty; its run never began\n", folder.string());
  }
  for (const auto& n : nodes) {
    for (const auto& i : n.interruptions) text += about_interruption(n, i);
  }
  for (const auto v : {speed_change::slower, speed_change::faster}) {
    for (const auto& s : report.speeds) {
      if (s.change() == v) text += about_speed(nodes[s.node], s);
    }
  }
  return text + about_good_nodes(report);
}

std::string nodes_csv(const fleet_report& report) {
  auto text = csv::line({"node", "type", "devices", "states", "runs", "interrupted", "cases_missing",
                         "cases_wrong", "timings", "slower", "faster", "undecided"});
  for (std::size_t i = 0; i < report.of.nodes.size(); ++i) {
    const auto& n = report.of.nodes[i];
    const auto& type = report.of.types[n.type];
    std::size_t timings = 0;
    for (const auto* s : report.speeds_of(i)) timings += s->timings.size();
    text +=
        csv::cells(n.name, type.name, type.devices, fmt::format("{}", fmt::join(report.states_of(i), " ")),
                   n.runs.size(), n.interruptions.size(), missing_cases(n), n.wrong.size(), timings,
                   total(report, i, speed_change::slower), total(report, i, speed_change::faster),
                   total(report, i, speed_change::undecided));
  }
  return text;
}

std::string timings_csv(const fleet_report& report) {
  auto text = fmt::format("node,type,{}\n", fmt::join(speed_columns, ","));
  for (const auto& s : report.speeds) {
    const auto& n = report.of.nodes[s.node];
    for (const auto& f : s.timings) {
      text += csv::cell(n.name) + ',' + report.of.types[n.type].name + ',' + csv_line(f);
    }
  }
  return text;
}

std::string medians_csv(const fleet_report& report) {
  auto text = csv::line({"node", "type", "experiment", "variant", "device", "precision", "size", "parameter",
                         "metric", "value", "unit", "samples", "type_median", "type_nodes"});
  for (const auto& type : report.of.types) {
    const auto typical = typical_rows(report.of, type);
    std::map<number_id, std::size_t> nodes;
    for (const auto i : type.nodes) {
      if (!report.of.nodes[i].counts()) continue;
      for (const auto& r : report.of.nodes[i].medians) ++nodes[r];
    }
    for (const auto i : type.nodes) {
      const auto& n = report.of.nodes[i];
      if (!n.counts()) continue;
      for (const auto& r : n.medians) {
        text += csv::cells(n.name, type.name, r.experiment, r.variant, r.device, r.precision, r.size,
                           r.parameter, r.metric, r.value, r.unit, r.samples, typical.at(r).value, nodes[r]);
      }
    }
  }
  return text;
}

nlohmann::json to_json(const fleet_report& report, std::span<const table> types) {
  nlohmann::json all{{"schema", report_schema},
                     {"nodes", nlohmann::json::array()},
                     {"types", nlohmann::json::array()},
                     {"never_begun", nlohmann::json::array()},
                     {"tables", nlohmann::json::array()}};
  for (std::size_t i = 0; i < report.of.nodes.size(); ++i) all["nodes"].push_back(to_json(report, i));
  for (const auto& t : report.of.types) all["types"].push_back(to_json(t));
  for (const auto& folder : report.never_begun) all["never_begun"].push_back(folder.string());
  for (const auto& t : types) all["tables"].push_back(to_json(t));
  return all;
}

}  // namespace reprise::reports
