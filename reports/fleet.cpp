// SPDX-License-Identifier: MIT
// Sorts runs by node and nodes by type, and finds what is wrong with them or missing.
#include "reports/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "reports/comparison_shift.hpp"
#include "reports/devices.hpp"
#include "reports/quantity.hpp"

namespace reprise::reports {
namespace {

using case_key = std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;

case_key case_of(const row& r) {
  return {r.experiment, r.variant, r.device, r.precision, r.size, r.parameter};
}

std::string node_name(const run& r) {
  for (const char* key : {"node", "host"}) {
    if (auto name = text_of(r.description, key); !name.empty()) return name;
  }
  return name_of(r);
}

// Boards before processors, with their number where there are several of a name.
std::string devices_of(const fleet_node& node) {
  std::set<std::tuple<bool, std::string, std::string>> listed;  // is it the host, id, name
  std::size_t threads = 0;
  for (const auto& r : node.runs) {
    for (const auto& [id, name] : listed_devices(r)) listed.emplace(id == "cpu", id, name);
    const auto found = r.description.find("hardware_threads");
    if (found != r.description.end() && found->is_number_integer()) threads = found->get<std::size_t>();
  }
  std::vector<board> boards;
  for (const auto& [is_host, id, name] : listed) add_device(boards, id, name);
  std::vector<std::string> parts;
  for (const auto& b : boards) {
    const auto namesakes =
        std::count_if(boards.begin(), boards.end(), [&](const board& o) { return o.name == b.name; });
    auto part = namesakes > 1 ? fmt::format("{} x {}", namesakes, b.name) : b.name;
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(std::move(part));
  }
  if (threads > 0) parts.push_back(fmt::format("{} threads", threads));
  return parts.empty() ? "no devices" : fmt::format("{}", fmt::join(parts, ", "));
}

// One row for each number, with the median where there are several.
std::vector<row> medians_of(const std::vector<const row*>& rows, const std::string& name) {
  std::map<std::pair<case_key, std::string>, std::vector<const row*>> numbers;
  for (const row* r : rows) {
    if (r->status == "ok" && std::isfinite(r->value)) numbers[{case_of(*r), r->metric}].push_back(r);
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
  std::set<case_key> known;
  for (const auto& r : node.runs) {
    for (const auto& one : r.rows) {
      if (one.status == "failed" && known.insert(case_of(one)).second) wrong.push_back(one);
    }
  }
  return wrong;
}

bool is_finished(const run& r) {
  return !text_of(r.description, "finished").empty();
}

std::set<case_key> cases_of(const run& r) {
  std::set<case_key> cases;
  for (const auto& one : r.rows) cases.insert(case_of(one));
  return cases;
}

// The shell globs that a run was asked for.
std::vector<std::string> asked_for(const run& r) {
  std::vector<std::string> globs;
  const auto request = r.description.find("request");
  if (request == r.description.end() || !request->is_object() || !request->contains("experiments"))
    return {"*"};
  for (const auto& glob : request->at("experiments")) {
    if (glob.is_string()) globs.push_back(glob.get<std::string>());
  }
  return globs;
}

bool matches_any(const std::vector<std::string>& globs, std::string_view id) {
  return std::any_of(globs.begin(), globs.end(), [&](const auto& glob) { return matches_glob(glob, id); });
}

interruption interruption_of(const run& r, const fleet& among, const node_type& type) {
  const auto own = cases_of(r);
  interruption found{r.folder, own.size(), false};
  const auto globs = asked_for(r);
  std::set<case_key> missing;
  for (const auto i : type.nodes) {
    for (const auto& other : among.nodes[i].runs) {
      if (!is_finished(other)) continue;
      found.is_measurable = true;
      for (const auto& key : cases_of(other)) {
        if (!own.contains(key) && matches_any(globs, std::get<0>(key))) missing.insert(key);
      }
    }
  }
  for (const auto& key : missing) ++found.missing[std::get<0>(key)];
  return found;
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
  std::stable_sort(all.begin(), all.end(),
                   [](const node_type& a, const node_type& b) { return a.nodes.size() > b.nodes.size(); });
  for (std::size_t i = 0; i < all.size(); ++i) all[i].name = fmt::format("type {}", i + 1);
  return all;
}

}  // namespace

fleet make_fleet(std::vector<run> runs) {
  fleet made{by_node(std::move(runs)), {}};
  made.types = by_devices(made.nodes);
  for (std::size_t i = 0; i < made.types.size(); ++i) {
    for (const auto n : made.types[i].nodes) {
      auto& node = made.nodes[n];
      node.type = i;
      node.medians = medians_of(node);
      node.wrong = wrong_answers_of(node);
      for (const auto& r : node.runs) {
        if (!is_finished(r)) node.interruptions.push_back(interruption_of(r, made, made.types[i]));
      }
    }
  }
  return made;
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
  typical.description = {{"name", type.name}, {"devices", nlohmann::json::array()}};
  for (const auto& [id, name] : devices)
    typical.description["devices"].push_back({{"id", id}, {"name", name}});
  typical.rows = medians_of(rows, type.name);
  return typical;
}

}  // namespace reprise::reports
