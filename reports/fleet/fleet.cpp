// SPDX-License-Identifier: MIT
// Groups runs by node and nodes by type, and finds wrong answers and missing cases.
#include "reports/fleet/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "reports/store/devices.hpp"
#include "reports/store/statistics.hpp"

namespace reprise::reports {
namespace {

std::string node_name(const run& r) {
  for (const char* key : {"node", "host"}) {
    if (auto name = text_of(*r.description, key); !name.empty()) return name;
  }
  return name_of(r);
}

// Lists boards before processors, with their number if several have the same name.
std::string devices_of(const fleet_node& node) {
  std::set<std::tuple<bool, std::string, std::string>> listed;  // is it the host, id, name
  std::size_t threads = 0;
  for (const auto& r : node.runs) {
    for (const auto& [id, name] : listed_devices(r)) listed.emplace(id == "cpu", id, name);
    const auto& counted = entry_of(*r.description, "hardware_threads");
    if (counted.is_number_integer()) threads = counted.get<std::size_t>();
  }
  std::vector<board> boards;
  for (const auto& [is_host, id, name] : listed) add_device(boards, id, name);
  std::vector<std::string> parts;
  for (const auto& b : boards) {
    const auto namesakes = std::ranges::count_if(boards, [&](const board& o) { return o.name == b.name; });
    auto part = namesakes > 1 ? fmt::format("{} x {}", namesakes, b.name) : b.name;
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
  }
  if (threads > 0) parts.push_back(fmt::format("{} threads", threads));
  return parts.empty() ? "no devices" : fmt::format("{}", fmt::join(parts, ", "));
}

// Returns one row for each value: the median if there are several.
std::vector<row> medians_of(const std::vector<const row*>& rows, const std::string& name) {
  std::map<number_id, std::vector<const row*>> numbers;
  for (const row* r : rows) {
    if (r->status == "ok" && std::isfinite(r->value)) numbers[*r].push_back(r);
  }
  std::vector<row> medians;
  for (const auto& [key, same] : numbers) {
    auto& r = medians.emplace_back(*same.front());
    r.run = name;
    if (same.size() == 1) continue;
    std::vector<double> values;
    for (const row* one : same) values.push_back(one->value);
    r.value = median(std::move(values));
    r.q1 = r.q3 = no_value;
    r.samples = static_cast<int>(same.size());
    r.reason.clear();
  }
  return medians;
}

std::vector<row> medians_of(const fleet_node& node) {
  std::vector<const row*> rows;
  for (const auto& r : node.runs) {
    for (const auto& one : r.rows) rows.push_back(&one);
  }
  return medians_of(rows, node.name);
}

std::vector<row> wrong_answers_of(const fleet_node& node) {
  std::vector<row> wrong;
  std::set<case_id> known;
  for (const auto& r : node.runs) {
    for (const auto& one : r.rows) {
      if (one.status == "failed" && known.insert(one).second) wrong.push_back(one);
    }
  }
  return wrong;
}

std::set<case_id> cases_of(const run& r) {
  return {r.rows.begin(), r.rows.end()};
}

interruption interruption_of(const run& r, const fleet& among, const node_type& type) {
  const auto own = cases_of(r);
  interruption result{r.folder, own.size(), false};
  std::set<case_id> missing;
  for (const auto i : type.nodes) {
    for (const auto& other : among.nodes[i].runs) {
      if (!is_finished(other)) continue;
      result.is_measurable = true;
      for (const auto& key : cases_of(other)) {
        if (!own.contains(key) && was_requested(r, key.experiment)) missing.insert(key);
      }
    }
  }
  for (const auto& key : missing) ++result.missing[key.experiment];
  return result;
}

std::vector<fleet_node> by_node(std::vector<run> runs) {
  std::map<std::string, fleet_node> nodes;
  for (auto& r : runs) {
    const auto name = node_name(r);
    auto& node = nodes[name];
    node.name = name;
    node.runs.push_back(std::move(r));
  }
  std::vector<fleet_node> all;
  for (auto& [name, node] : nodes) all.push_back(std::move(node));
  return all;
}

std::vector<node_type> by_devices(std::span<const fleet_node> nodes) {
  std::map<std::string, node_type> types;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto devices = devices_of(nodes[i]);
    auto& type = types[devices];
    type.devices = std::move(devices);
    type.nodes.push_back(i);
  }
  std::vector<node_type> all;
  for (auto& [devices, type] : types) all.push_back(std::move(type));
  std::ranges::stable_sort(
      all, [](const node_type& a, const node_type& b) { return a.nodes.size() > b.nodes.size(); });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name = fmt::format("type {}", i + 1);
  return all;
}

}  // namespace

fleet make_fleet(std::vector<run> runs) {
  fleet result{by_node(std::move(runs)), {}};
  result.types = by_devices(result.nodes);
  for (std::size_t i = 0; i < result.types.size(); ++i) {
    for (const auto n : result.types[i].nodes) {
      auto& node = result.nodes[n];
      node.type = i;
      node.medians = medians_of(node);
      node.wrong = wrong_answers_of(node);
      for (const auto& r : node.runs) {
        if (!is_finished(r)) node.interruptions.push_back(interruption_of(r, result, result.types[i]));
      }
    }
  }
  return result;
}

run typical_run(const fleet& of, const node_type& type) {
  std::vector<const row*> rows;
  std::map<std::string, std::string> devices;
  for (const auto i : type.nodes) {
    const auto& node = of.nodes[i];
    for (const auto& r : node.runs) {
      for (const auto& [id, name] : listed_devices(r)) devices.try_emplace(id, name);
    }
    if (!node.counts()) continue;
    for (const auto& r : node.medians) rows.push_back(&r);
  }
  run typical;
  typical.folder = type.name;
  nlohmann::json listed = nlohmann::json::array();
  for (const auto& [id, name] : devices) listed.push_back({{"id", id}, {"name", name}});
  typical.description = nlohmann::json{{"name", type.name}, {"devices", listed}};
  typical.rows = medians_of(rows, type.name);
  return typical;
}

}  // namespace reprise::reports
