// SPDX-License-Identifier: MIT
// Implements `reprise list`.
#include "benchmarks/commands/list.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "benchmarks/harness/budget/plan.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "benchmarks/harness/steps.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

using harness::case_plan;
using harness::experiment;
using harness::family;
using harness::target;
using harness::targets_of;

struct variant_line {
  std::string id, summary, place, status;
};

std::string status_of(std::string_view id) {
  const auto on = targets_of(id, "*", true);
  if (on.front().variant == nullptr) return on.front().reason;
  if (on.front().device.kind == backend::emulated)
    return "checked in emulation only: " + targets_of(id, "*", false).front().reason;
  std::string devices;
  for (const target& t : on) devices += (devices.empty() ? "" : ", ") + t.device.id;
  return "ready on " + devices;
}

variant_line line_of(const manifest_entry& entry) {
  variant_line line{std::string(entry.id), "", "", status_of(entry.id)};
  for (const auto& v : variants())
    if (v->id == entry.id) {
      line.summary = v->data.summary;
      line.place = v->data.place;
    }
  return line;
}

std::string status_of(const experiment& e) {
  int ready = 0;
  int all = 0;
  for (const case_plan& plan : e.plan({})) {
    ++all;
    ready += targets_of(plan.variant, "*", false).front().variant != nullptr ? 1 : 0;
  }
  return ready == 0 ? "none of its cases can be timed here"
                    : fmt::format("ready, {} of {} cases", ready, all);
}

// Backends of the built variants, whether or not this machine has a device for them: the front
// end of a cluster has no GPU.
std::vector<std::string> backends_of(const experiment& e) {
  std::set<std::string> backends;
  for (const case_plan& plan : e.plan({}))
    for (const manifest_entry& entry : manifest())
      if (entry.id == plan.variant && entry.not_built.empty()) backends.emplace(to_string(entry.needs));
  return {backends.begin(), backends.end()};
}

// Seconds of the experiment in the preset quick, without roofs; 0 if no case of it can be measured here.
double seconds_of(const experiment& e, const budget::cost_table& costs) {
  const auto steps = harness::plan_steps({&e}, {});
  const auto sum = budget::cost_of_all(steps, costs, harness::preset::quick).experiments;
  return sum.empty() ? 0 : sum.begin()->second.seconds;
}

void print(const nlohmann::json& all, std::ostream& out) {
  if (!all["variants"].empty()) out << "variants\n";
  for (const auto& v : all["variants"]) {
    out << fmt::format("  {:<34}{}\n", v["id"].get<std::string>(), v["status"].get<std::string>());
    const auto summary = v["summary"].get<std::string>();
    if (!summary.empty()) out << "    " << summary << '\n';
  }
  if (!all["experiments"].empty())
    out << "experiments, with the time of all their cases in the preset quick\n";
  for (const auto& e : all["experiments"]) {
    const double seconds = e["seconds"];
    out << fmt::format("  {:<34}{}{}\n    {}\n", e["id"].get<std::string>(), e["status"].get<std::string>(),
                       seconds > 0 ? ", about " + budget::duration_text(seconds) : "",
                       e["title"].get<std::string>());
  }
}

}  // namespace

void list(const list_request& request, std::ostream& out) {
  nlohmann::json all{{"variants", nlohmann::json::array()}, {"experiments", nlohmann::json::array()}};
  for (const manifest_entry& entry : manifest())
    if (reports::matches_any(request.ids, entry.id)) {
      const variant_line line = line_of(entry);
      all["variants"].push_back({{"id", line.id},
                                 {"file", entry.file},
                                 {"summary", line.summary},
                                 {"place", line.place},
                                 {"status", line.status}});
    }
  const auto costs = budget::shipped_costs(request.home);
  for (const family& f : harness::families())
    for (const experiment& e : f.experiments)
      if (reports::matches_any(request.ids, e.layout.id))
        all["experiments"].push_back({{"id", e.layout.id},
                                      {"title", e.layout.title},
                                      {"status", status_of(e)},
                                      {"seconds", seconds_of(e, costs)},
                                      {"backends", backends_of(e)}});
  if (all["variants"].empty() && all["experiments"].empty())
    throw bad_input("no variant or experiment matches '" + request.ids.front() +
                    "': `reprise list` lists them all");
  if (request.as_json) {
    out << all.dump(2) << '\n';
    return;
  }
  print(all, out);
}

}  // namespace reprise::benchmarks
