// SPDX-License-Identifier: MIT
// Reads the "devices" of a run's description: [{"id": "cuda:0", "name": "..."}, ...].
#include "reports/store/devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace reprise::reports {
namespace {

const nlohmann::json& devices_of(const run& from) {
  static const nlohmann::json none = nlohmann::json::array();
  const auto& listed = entry_of(*from.description, "devices");
  return listed.is_array() ? listed : none;
}

std::string backend_of(const std::string& id) {
  return id.substr(0, id.find(':'));
}

// OpenGL's name of a board contains the name that CUDA and OpenCL report.
bool is_one_board(const std::string& name, const std::string& other) {
  return name.find(other) != std::string::npos || other.find(name) != std::string::npos;
}

bool has_backend(const board& b, const std::string& backend) {
  return std::ranges::any_of(b.ids, [&](const auto& id) { return backend_of(id) == backend; });
}

bool is_processor(const nlohmann::json& device) {
  if (const auto told = device.find("on_host"); told != device.end()) return *told == true;
  // Programs that did not tell it knew these.
  const auto name = text_of(device, "name");
  return text_of(device, "backend") == "cpu" || name.starts_with("llvmpipe") ||
         name.starts_with("softpipe") || text_of(device, "driver").starts_with("Portable Computing Language");
}

// What a description tells of its machine; empty parts are not told.
struct machine {
  std::set<std::string> threads, processors, gpus;

  explicit machine(const run& from) {
    const auto& count = entry_of(*from.description, "hardware_threads");
    if (!count.is_null()) threads.insert(count.dump());
    for (const auto& device : devices_of(from)) {
      const auto backend = text_of(device, "backend");
      if (backend == "cpu") processors.insert(text_of(device, "name"));
      // OpenGL has a name of its own for a board.
      const bool is_named_alike = backend == "cuda" || backend == "opencl";
      if (is_named_alike && !is_processor(device)) gpus.insert(text_of(device, "name"));
    }
  }

  bool fits(const machine& other) const {
    const auto agree = [](const auto& a, const auto& b) { return a.empty() || b.empty() || a == b; };
    return agree(threads, other.threads) && agree(processors, other.processors) && agree(gpus, other.gpus);
  }

  void learn(const machine& other) {
    threads.insert(other.threads.begin(), other.threads.end());
    processors.insert(other.processors.begin(), other.processors.end());
    gpus.insert(other.gpus.begin(), other.gpus.end());
  }
};

}  // namespace

bool is_processor(const run& from, const std::string& id) {
  return std::ranges::any_of(devices_of(from), [&](const nlohmann::json& device) {
    return text_of(device, "id") == id && is_processor(device);
  });
}

std::vector<std::size_t> kinds_of_machines(std::span<const run> runs) {
  std::vector<machine> kinds;
  std::vector<std::size_t> of_runs;
  for (const auto& r : runs) {
    const machine own(r);
    const auto known = std::ranges::find_if(kinds, [&](const machine& kind) { return kind.fits(own); });
    of_runs.push_back(static_cast<std::size_t>(known - kinds.begin()));
    if (known == kinds.end())
      kinds.push_back(own);
    else
      known->learn(own);
  }
  return of_runs;
}

bool has_gpu(const run& r) {
  return std::ranges::any_of(devices_of(r),
                             [](const nlohmann::json& device) { return !is_processor(device); });
}

std::string device_name(const run& from, const std::string& id) {
  for (const auto& device : devices_of(from)) {
    std::string name = text_of(device, "name");
    if (text_of(device, "id") == id && !name.empty()) return name;
  }
  return id;
}

std::size_t device_rank(const run& from, const std::string& id) {
  const auto& devices = devices_of(from);
  const auto found = std::ranges::find_if(
      devices, [&](const nlohmann::json& device) { return text_of(device, "id") == id; });
  return static_cast<std::size_t>(found - devices.begin());
}

std::string device_label(const run& from, const std::string& id) {
  const auto name = device_name(from, id);
  const auto& devices = devices_of(from);
  const auto namesakes = std::ranges::count_if(
      devices, [&](const nlohmann::json& device) { return text_of(device, "name") == name; });
  return namesakes > 1 ? fmt::format("{} ({})", name, id) : name;
}

std::string device_on_page(const run& from, const std::string& id) {
  const auto name = device_name(from, id);
  const auto backend = backend_of(id);
  const auto& devices = devices_of(from);
  const bool has_twin = std::ranges::any_of(devices, [&](const nlohmann::json& other) {
    return text_of(other, "id") != id && text_of(other, "name") == name &&
           backend_of(text_of(other, "id")) == backend;
  });
  if (has_twin || name == id) return device_label(from, id);
  static const std::map<std::string, std::string> ways{{"opencl", "OpenCL"}, {"opengl", "OpenGL"}};
  const auto way = ways.find(backend);
  return way == ways.end() ? name : fmt::format("{} ({})", name, way->second);
}

void add_device(std::vector<board>& boards, const std::string& id, const std::string& name) {
  for (auto& b : boards) {
    if (std::ranges::find(b.ids, id) != b.ids.end()) return;
    if (!is_one_board(b.name, name) || has_backend(b, backend_of(id))) continue;
    b.ids.push_back(id);
    if (name.size() < b.name.size()) b.name = name;
    return;
  }
  boards.push_back({name, {id}});
}

std::vector<std::pair<std::string, std::string>> listed_devices(const run& from) {
  std::vector<std::pair<std::string, std::string>> listed;
  for (const auto& device : devices_of(from)) {
    const auto id = text_of(device, "id");
    if (!id.empty()) listed.emplace_back(id, device_name(from, id));
  }
  return listed;
}

}  // namespace reprise::reports
