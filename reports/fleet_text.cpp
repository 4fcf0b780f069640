// SPDX-License-Identifier: MIT
// Says of a fleet what a terminal has room for.
#include "reports/fleet_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reprise::reports {
namespace {

constexpr std::size_t most_told = 3;

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::size_t right_nodes(const fleet& of, const node_type& type) {
  return static_cast<std::size_t>(std::count_if(type.nodes.begin(), type.nodes.end(),
                                                [&](std::size_t i) { return of.nodes[i].counts(); }));
}

std::string about_types(const fleet& of) {
  std::size_t runs = 0;
  for (const auto& n : of.nodes) runs += n.runs.size();
  auto text = fmt::format("{} in {}\n", counted(of.nodes.size(), "node"), counted(runs, "run"));
  for (const auto& t : of.types) {
    text += fmt::format("{}: {}, {}\n", t.name, counted(t.nodes.size(), "node"), t.devices);
    const auto right = right_nodes(of, t);
    if (right < fewest_alike) {
      text += fmt::format("        which of them is slow cannot be told from {}: {} are needed\n",
                          counted(right, "right node"), fewest_alike);
    }
  }
  return text;
}

std::string about_wrong(const fleet_node& n) {
  auto text = fmt::format("WRONG       {}: {}; the node is left out of all that follows\n", n.name,
                          counted(n.wrong.size(), "case"));
  for (std::size_t i = 0; i < std::min(most_told, n.wrong.size()); ++i) {
    text += fmt::format("            {}: {}\n", case_text(n.wrong[i]), n.wrong[i].reason);
  }
  if (n.wrong.size() > most_told)
    text += fmt::format("            and {} more\n", n.wrong.size() - most_told);
  return text;
}

std::string about_interruption(const fleet_node& n, const interruption& i) {
  return fmt::format(
      "INCOMPLETE  {}: the run ended after {}; {}\n"
      "            finish it there: reprise run --resume --out {}\n",
      n.name, counted(i.cases, "case"), missing_text(i), i.folder.string());
}

std::string about_speed(const fleet_node& n, const node_speed& s) {
  const auto verdict = s.verdict();
  auto text = fmt::format(
      "{:<11} {} on {}: {} of {}, all of them by {:+.1f} % at the median; most (usual node -> this one):\n",
      to_string(verdict), n.name, s.device, s.count(verdict), counted(s.timings.size(), "timing"),
      percent(s.middle));
  std::size_t told = 0;
  for (const auto& f : s.timings) {
    if (f.verdict != verdict || told++ >= most_told) continue;
    text += fmt::format("            {}\n              {}\n", case_text(f.of), numbers_text(f));
  }
  return text;
}

std::string about_good_nodes(const fleet_report& report) {
  constexpr std::size_t most_names = 12;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < report.of.nodes.size(); ++i) {
    if (report.states_of(i).front() == "good") names.push_back(report.of.nodes[i].name);
  }
  if (names.empty()) return "no node is right, complete and as fast as others of its type\n";
  const auto listed = std::span(names).first(std::min(names.size(), most_names));
  return fmt::format("{} right, complete and as fast as others of {} type: {}{}\n",
                     names.size() == 1 ? "1 node is" : fmt::format("{} nodes are", names.size()),
                     names.size() == 1 ? "its" : "their", fmt::join(listed, ", "),
                     names.size() > most_names ? ", ..." : "");
}

}  // namespace

std::string missing_text(const interruption& i) {
  if (!i.is_measurable) return "no finished node of its type tells what is missing";
  if (i.missing.empty()) return "of what the others have nothing is missing";
  std::vector<std::string> parts;
  for (const auto& [experiment, count] : i.missing)
    parts.push_back(fmt::format("{} of {}", count, experiment));
  return fmt::format("missing: {}", fmt::join(parts, ", "));
}

std::string case_text(const row& r) {
  auto text = fmt::format("{} {} {} {}", r.experiment, short_name(r.variant), r.device, r.precision);
  for (const auto& part : {r.size, r.parameter}) {
    if (!part.empty()) text += " " + part;
  }
  return text;
}

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
  for (const auto v : {speed_verdict::slower, speed_verdict::faster}) {
    for (const auto& s : report.speeds) {
      if (s.verdict() == v) text += about_speed(nodes[s.node], s);
    }
  }
  return text + about_good_nodes(report);
}

}  // namespace reprise::reports
