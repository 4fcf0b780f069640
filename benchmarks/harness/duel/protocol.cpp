// SPDX-License-Identifier: MIT
// Cases as the two sides of a duel exchange them.
#include "benchmarks/harness/duel/protocol.hpp"

#include <nlohmann/json.hpp>

namespace reprise::duels {

nlohmann::json to_json(const offered_case& c) {
  return {{"experiment", std::string(c.experiment)},
          {"variant", std::string(c.variant)},
          {"device", std::string(c.device)},
          {"precision", std::string(c.precision)},
          {"size", std::string(c.size)},
          {"parameter", std::string(c.parameter)},
          {"metric", std::string(c.metric)},
          {"device_name", c.device_name},
          {"repeats", c.repeats},
          {"units", c.units},
          {"on_host", c.on_host},
          {"unavailable", c.unavailable}};
}

offered_case offered_in(const nlohmann::json& j) {
  const auto text = [&](const char* name) { return j.at(name).get<std::string>(); };
  offered_case c;
  c.experiment = text("experiment");
  c.variant = text("variant");
  c.device = text("device");
  c.precision = text("precision");
  c.size = text("size");
  c.parameter = text("parameter");
  c.metric = text("metric");
  c.device_name = text("device_name");
  c.repeats = j.at("repeats").get<int>();
  c.units = j.at("units").get<double>();
  c.on_host = j.at("on_host").get<bool>();
  c.unavailable = text("unavailable");
  return c;
}

}  // namespace reprise::duels
