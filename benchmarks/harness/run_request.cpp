// SPDX-License-Identifier: MIT
// Selects experiments, and converts requests to and from JSON.
#include "benchmarks/harness/run_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "benchmarks/harness/nearest.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

std::vector<std::string> ids_of_experiments() {
  std::vector<std::string> ids;
  for (const family& f : families())
    for (const experiment& e : f.experiments) ids.push_back(e.layout.id);
  return ids;
}

}  // namespace

std::vector<const experiment*> selected(const std::vector<std::string>& globs) {
  std::vector<const experiment*> chosen;
  for (const std::string& pattern : globs) {
    bool any = false;
    for (const family& f : families())
      for (const experiment& e : f.experiments)
        if (matches(pattern, e.layout.id)) {
          any = true;
          if (std::ranges::find(chosen, &e) == chosen.end()) chosen.push_back(&e);
        }
    if (!any)
      throw bad_input("no experiment is called '" + pattern + "'" + nearest(pattern, ids_of_experiments()) +
                      ": `reprise list` lists them");
  }
  return chosen;
}

std::vector<const family*> families_of(const run_request& request) {
  std::set<std::string_view> words;
  for (const experiment* e : selected(request.experiments)) words.insert(reports::family_of(e->layout.id));
  std::vector<const family*> found;
  for (const auto word : words) found.push_back(find_family(word));
  return found;
}

void add_sizes(run_request& request, const std::vector<std::string>& typed) {
  request.plan.sizes = parse_sizes(typed, families_of(request));
}

void add_parameters(run_request& request, const std::filesystem::path& file) {
  for (const family* f : families_of(request)) {
    if (!f->read_parameters)
      throw bad_input(fmt::format("{} takes no file of parameters: name experiments that do", f->word));
    for (const auto& [name, value] : f->read_parameters(file))
      if (!request.plan.settings.emplace(name, value).second)
        throw bad_input(fmt::format("setting '{}' is in {} too: give it once", name, file.string()));
  }
}

nlohmann::json to_json(const run_request& request) {
  nlohmann::json sizes = nlohmann::json::array();
  for (const grid_size& size : request.plan.sizes) sizes.push_back(to_string(size));
  return {{"experiments", request.experiments},
          {"preset", to_string(request.plan.level)},
          {"sizes", sizes},
          {"settings", request.plan.settings},
          {"fields", request.plan.writes_end},
          {"device", request.device_glob},
          {"budget_seconds", request.budget_seconds},
          {"plan_of", request.plan_of.string()},
          {"variants", request.choice.variants},
          {"parameters", request.choice.parameters},
          {"precision", request.choice.precision}};
}

void restore(run_request& request, const nlohmann::json& description) {
  try {
    const nlohmann::json& asked = description.at("request");
    request.experiments = asked.at("experiments").get<std::vector<std::string>>();
    request.plan.level = parse_preset(asked.at("preset").get<std::string>());
    request.plan.sizes.clear();
    for (const auto& size : asked.at("sizes"))
      request.plan.sizes.push_back(parse_size(size.get<std::string>()));
    request.plan.settings = asked.value("settings", std::map<std::string, double>{});
    request.plan.writes_end = asked.value("fields", false);
    request.device_glob = asked.at("device").get<std::string>();
    request.budget_seconds = asked.value("budget_seconds", 0.);
    request.plan_of = asked.value("plan_of", "");
    request.choice = {asked.value("variants", std::vector<std::string>{}),
                      asked.value("parameters", std::vector<std::string>{}), asked.value("precision", "*")};
  } catch (const nlohmann::json::exception&) {
    throw bad_input((request.out / "run.json").string() +
                    " does not say what the run was asked for: start a new run in another folder");
  }
}

}  // namespace reprise::harness
