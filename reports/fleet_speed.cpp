// SPDX-License-Identifier: MIT
// For each timing the node whose median lies in the middle stands for its type: half of the nodes may be slow
// before it is one of those. The floor is the machines' noise or, where the nodes differ by more than that
// among themselves, four times their spread, which is taken from the median of distances so that the slow
// nodes do not hide themselves.
#include "reports/fleet_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/comparison_shift.hpp"

namespace reprise::reports {
namespace {

struct timed_node {
  std::size_t node{};
  double log_median{};
  std::vector<double> samples;
};

using timed_nodes = std::map<timed_case, std::vector<timed_node>>;

// A node's runs of the same case count as one.
std::map<timed_case, std::vector<double>> samples_of(const fleet_node& node) {
  std::map<timed_case, std::vector<double>> all;
  for (const auto& r : node.runs) {
    for (auto& [of, samples] : samples_by_case(r))
      all[of].insert(all[of].end(), samples.begin(), samples.end());
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
    std::sort(nodes.begin(), nodes.end(),
              [](const timed_node& a, const timed_node& b) { return a.log_median < b.log_median; });
  }
  return cases;
}

// The node whose median lies in the middle; they are sorted.
const timed_node& usual_one(std::span<const timed_node> nodes) {
  return nodes[(nodes.size() - 1) / 2];
}

// Of numbers that are spread normally this is the standard deviation.
double spread_of(std::span<const timed_node> nodes) {
  constexpr double deviations = 1.4826;
  std::vector<double> distances;
  for (const auto& n : nodes) distances.push_back(std::abs(n.log_median - usual_one(nodes).log_median));
  return deviations * median(std::move(distances));
}

// By how much the nodes usually differ in the timings of a device. A single timing's few nodes may lie close
// to each other by chance.
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

// Where a process is fast at one time and slow at another, the shift lies between both and its own median may
// be the usual one: then the node is not the reason.
speed_finding compare_node(const timed_case& of, const timed_node& usual, const timed_node& node,
                           const noise_floor& floor) {
  auto f = compare_case(of, usual.samples, node.samples, floor);
  const bool is_called = f.verdict == speed_verdict::slower || f.verdict == speed_verdict::faster;
  if (is_called && std::abs(node.log_median - usual.log_median) <= floor.shift) {
    f.verdict = speed_verdict::undecided;
    f.reason = "the medians do not differ by as much";
  }
  return f;
}

double beyond_floor(const speed_finding& f) {
  return std::abs(f.between->estimate) - f.floor.shift;
}

void sum_up(node_speed& s) {
  std::vector<double> shifts;
  for (const auto& f : s.timings) shifts.push_back(f.between->estimate);
  s.middle = median(std::move(shifts));
  std::stable_sort(s.timings.begin(), s.timings.end(), [](const speed_finding& a, const speed_finding& b) {
    return beyond_floor(a) > beyond_floor(b);
  });
}

using speeds = std::map<std::pair<std::size_t, std::string>, node_speed>;  // by node and device

void add_timings(speeds& all, const timed_nodes& cases, std::span<const case_noise> noise) {
  const auto spreads = usual_spreads(cases);
  std::size_t comparisons = 0;
  for (const auto& [key, nodes] : cases) comparisons += nodes.size() - 1;
  for (const auto& [key, nodes] : cases) {
    const auto floor = floor_among(nodes, spreads.at(key.device), floor_of(key, noise, comparisons));
    for (const auto& n : nodes) {
      auto& s = all[{n.node, key.device}];
      s.node = n.node;
      s.device = key.device;
      s.timings.push_back(compare_node(key, usual_one(nodes), n, floor));
    }
  }
}

}  // namespace

std::size_t node_speed::count(speed_verdict v) const {
  return static_cast<std::size_t>(
      std::count_if(timings.begin(), timings.end(), [&](const speed_finding& f) { return f.verdict == v; }));
}

speed_verdict node_speed::verdict() const {
  const auto enough = std::max(1.0, least_share * static_cast<double>(timings.size()));
  for (const auto v : {speed_verdict::slower, speed_verdict::faster}) {
    if (static_cast<double>(count(v)) >= enough) return v;
  }
  return speed_verdict::same;
}

std::vector<node_speed> compare_nodes(const fleet& of, std::span<const case_noise> noise) {
  speeds all;
  for (const auto& type : of.types) add_timings(all, timings_of(of, type), noise);
  std::vector<node_speed> found;
  for (auto& [key, s] : all) {
    sum_up(s);
    found.push_back(std::move(s));
  }
  return found;
}

}  // namespace reprise::reports
