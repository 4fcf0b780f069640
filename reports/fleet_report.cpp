// SPDX-License-Identifier: MIT
// What a fleet's nodes are, in a word or two.
#include "reports/fleet_report.hpp"

#include <algorithm>

namespace reprise::reports {

bool fleet_report::has_wrong() const {
  return std::any_of(of.nodes.begin(), of.nodes.end(), [](const fleet_node& n) { return !n.counts(); });
}

bool fleet_report::has_slower() const {
  return std::any_of(speeds.begin(), speeds.end(),
                     [](const node_speed& s) { return s.verdict() == speed_verdict::slower; });
}

bool fleet_report::is_incomplete() const {
  return !never_begun.empty() || std::any_of(of.nodes.begin(), of.nodes.end(),
                                             [](const fleet_node& n) { return !n.interruptions.empty(); });
}

std::vector<const node_speed*> fleet_report::speeds_of(std::size_t node) const {
  std::vector<const node_speed*> own;
  for (const auto& s : speeds) {
    if (s.node == node) own.push_back(&s);
  }
  return own;
}

std::vector<std::string> fleet_report::states_of(std::size_t node) const {
  const auto own = speeds_of(node);
  const auto is = [&](speed_verdict v) {
    return std::any_of(own.begin(), own.end(), [&](const node_speed* s) { return s->verdict() == v; });
  };
  std::vector<std::string> states;
  if (!of.nodes[node].counts()) states.emplace_back("wrong");
  if (!of.nodes[node].interruptions.empty()) states.emplace_back("incomplete");
  if (is(speed_verdict::slower)) states.emplace_back("slower");
  if (is(speed_verdict::faster)) states.emplace_back("faster");
  if (states.empty()) states.emplace_back(own.empty() ? "not compared" : "good");
  return states;
}

}  // namespace reprise::reports
