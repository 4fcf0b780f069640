// SPDX-License-Identifier: MIT
// Reads the "devices" of a run's description: [{"id": "cuda:0", "name": "..."}, ...].
#include "reports/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace reprise::reports {
namespace {

const nlohmann::json& devices_of(const run& from) {
  static const nlohmann::json none = nlohmann::json::array();
  const auto listed =
      from.description.is_object() ? from.description.find("devices") : from.description.end();
  return listed != from.description.end() && listed->is_array() ? *listed : none;
}

}  // namespace

std::string device_name(const run& from, const std::string& id) {
  for (const auto& device : devices_of(from)) {
    const auto name = text_of(device, "name");
    if (text_of(device, "id") == id && !name.empty()) return name;
  }
  return id;
}

std::size_t device_rank(const run& from, const std::string& id) {
  const auto& devices = devices_of(from);
  const auto found = std::find_if(devices.begin(), devices.end(),
                                  [&](const nlohmann::json& device) { return text_of(device, "id") == id; });
  return static_cast<std::size_t>(found - devices.begin());
}

std::string device_label(const run& from, const std::string& id) {
  const auto name = device_name(from, id);
  const auto& devices = devices_of(from);
  const auto namesakes = std::count_if(devices.begin(), devices.end(), [&](const nlohmann::json& device) {
    return text_of(device, "name") == name;
  });
  return namesakes > 1 ? fmt::format("{} ({})", name, id) : name;
}

}  // namespace reprise::reports
