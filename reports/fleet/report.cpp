// SPDX-License-Identifier: MIT
// Compares the nodes of a type. For each timing the node with the middle median represents the type, so
// that up to half of the nodes may be slow without becoming the standard. The floor is the machines'
// noise or, if larger, four times the spread between nodes. That spread is a median of distances, so that
// slow nodes do not inflate it.
#include "reports/fleet/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/store/statistics.hpp"

namespace reprise::reports {
namespace {

struct timed_node {
  std::size_t node{};
  double log_median{};
  std::vector<double> samples;
};

using timed_nodes = std::map<timed_case, std::vector<timed_node>>;

// Pools the undisturbed samples of a node's runs by case.
std::map<timed_case, std::vector<double>> samples_of(const fleet_node& node) {
  std::map<timed_case, std::vector<double>> all;
  for (const auto& r : node.runs) {
    const auto disturbed = disturbed_cases(r);
    for (auto& [of, samples] : samples_by_case(r))
      if (!disturbed.contains(of)) all[of].insert(all[of].end(), samples.begin(), samples.end());
  }
  return all;
}

timed_nodes timings_of(const fleet& of, const node_type& type) {
  timed_nodes cases;
  for (const auto i : type.nodes) {
    if (!of.nodes[i].counts()) continue;
    for (auto& [key, samples] : samples_of(of.nodes[i])) {
      const double middle = std::log(median(samples));
      cases[key].push_back({i, middle, std::move(samples)});
    }
  }
  std::erase_if(cases, [](const auto& entry) { return entry.second.size() < fewest_alike; });
  for (auto& [key, nodes] : cases) {
    std::ranges::sort(nodes,
                      [](const timed_node& a, const timed_node& b) { return a.log_median < b.log_median; });
  }
  return cases;
}

// The node with the middle median. `nodes` are sorted by median.
const timed_node& usual_one(std::span<const timed_node> nodes) {
  return nodes[(nodes.size() - 1) / 2];
}

// Scaled median absolute deviation, which is the standard deviation of normally distributed values.
double spread_of(std::span<const timed_node> nodes) {
  constexpr double deviations = 1.4826;
  std::vector<double> distances;
  for (const auto& n : nodes) distances.push_back(std::abs(n.log_median - usual_one(nodes).log_median));
  return deviations * median(std::move(distances));
}

// How much nodes usually differ in the timings of a device. For a single timing a
// few nodes may agree by chance.
std::map<std::string, double> usual_spreads(const timed_nodes& cases) {
  std::map<std::string, std::vector<double>> spreads;
  for (const auto& [key, nodes] : cases) spreads[key.device].push_back(spread_of(nodes));
  std::map<std::string, double> usual;
  for (auto& [device, of_cases] : spreads) usual[device] = median(std::move(of_cases));
  return usual;
}

noise_floor floor_among(std::span<const timed_node> nodes, double usual_spread, const noise_floor& of_noise) {
  constexpr double spreads = 4;
  const double between = spreads * std::max(usual_spread, spread_of(nodes));
  if (between <= of_noise.shift) return of_noise;
  return {between, fmt::format("spread of {} nodes", nodes.size())};
}

// If a process is sometimes fast and sometimes slow, the shift may exceed the floor although the medians
// agree. Then the node is not the cause, and the result is undecided.
speed_result compare_node(const timed_case& of, const timed_node& usual, const timed_node& node,
                          const noise_floor& floor) {
  auto f = compare_case(of, usual.samples, node.samples, floor);
  const bool is_called = f.change == speed_change::slower || f.change == speed_change::faster;
  if (is_called && std::abs(node.log_median - usual.log_median) <= floor.shift) {
    f.change = speed_change::undecided;
    f.reason = "the medians do not differ by as much";
  }
  return f;
}

double beyond_floor(const speed_result& f) {
  return std::abs(f.between->estimate) - f.floor.shift;
}

void sum_up(node_speed& s) {
  std::vector<double> shifts;
  for (const auto& f : s.timings) shifts.push_back(f.between->estimate);
  s.middle = median(std::move(shifts));
  std::ranges::stable_sort(s.timings, [](const speed_result& a, const speed_result& b) {
    return beyond_floor(a) > beyond_floor(b);
  });
}

using speeds = std::map<std::pair<std::size_t, std::string>, node_speed>;  // by node and device

void add_timings(speeds& all, const timed_nodes& cases, std::span<const case_noise> noise) {
  const auto spreads = usual_spreads(cases);
  std::size_t comparisons = 0;
  for (const auto& [key, nodes] : cases) comparisons += nodes.size() - 1;
  const noise_floors floors(noise, comparisons);
  for (const auto& [key, nodes] : cases) {
    const auto floor = floor_among(nodes, spreads.at(key.device), floors.of(key));
    for (const auto& n : nodes) {
      auto& s = all[{n.node, key.device}];
      s.node = n.node;
      s.device = key.device;
      s.timings.push_back(compare_node(key, usual_one(nodes), n, floor));
    }
  }
}

}  // namespace

std::size_t node_speed::count(speed_change v) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(timings, [&](const speed_result& f) { return f.change == v; }));
}

speed_change node_speed::change() const {
  const auto enough = std::max(1.0, least_share * static_cast<double>(timings.size()));
  for (const auto v : {speed_change::slower, speed_change::faster}) {
    if (static_cast<double>(count(v)) >= enough) return v;
  }
  return speed_change::same;
}

std::vector<node_speed> compare_nodes(const fleet& of, std::span<const case_noise> noise) {
  speeds all;
  for (const auto& type : of.types) add_timings(all, timings_of(of, type), noise);
  std::vector<node_speed> compared;
  for (auto& [key, s] : all) {
    sum_up(s);
    compared.push_back(std::move(s));
  }
  return compared;
}

bool fleet_report::has_wrong() const {
  return std::ranges::any_of(of.nodes, [](const fleet_node& n) { return !n.counts(); });
}

bool fleet_report::has_slower() const {
  return std::ranges::any_of(speeds, [](const node_speed& s) { return s.change() == speed_change::slower; });
}

bool fleet_report::is_incomplete() const {
  return !never_begun.empty() ||
         std::ranges::any_of(of.nodes, [](const fleet_node& n) { return !n.interruptions.empty(); });
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
  const auto is = [&](speed_change v) {
    return std::ranges::any_of(own, [&](const node_speed* s) { return s->change() == v; });
  };
  std::vector<std::string> states;
  if (!of.nodes[node].counts()) states.emplace_back("wrong");
  if (!of.nodes[node].interruptions.empty()) states.emplace_back("incomplete");
  if (is(speed_change::slower)) states.emplace_back("slower");
  if (is(speed_change::faster)) states.emplace_back("faster");
  if (states.empty()) states.emplace_back(own.empty() ? "not compared" : "good");
  return states;
}

}  // namespace reprise::reports
