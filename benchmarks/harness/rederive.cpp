// SPDX-License-Identifier: MIT
// Tells derived rows from measured ones: a measured row has samples, of which a derived one has none, except for slopes,
// whose samples are points.
#include "benchmarks/harness/rederive.hpp"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "benchmarks/harness/derivation.hpp"
#include "benchmarks/harness/experiment.hpp"
#include "reports/store/json.hpp"

namespace reprise::harness {
namespace {

using reports::number_id;
using reports::row;

bool is_slope(const row& r) {
  const bool is_told = r.reason.starts_with("least squares through") || r.metric == "time_exponent";
  return r.samples > 1 && r.unit != "s" && is_told;
}

bool is_derived(const row& r) {
  return reports::is_measured(r) && (r.samples == 0 || is_slope(r));
}

std::string command_for(const reports::run& recorded, const std::string& experiment) {
  const auto preset = reports::text_of(reports::entry_of(*recorded.description, "request"), "preset");
  return fmt::format("reprise run {}{}", experiment, preset.empty() ? "" : " --preset " + preset);
}

void skip(row& r, std::string reason) {
  r.status = "skipped";
  r.value = r.q1 = r.q3 = reports::no_value;
  r.samples = 0;
  r.reason = std::move(reason);
}

// The metrics of an experiment that the run's program defined otherwise than today's.
std::unordered_set<std::string> redefined_metrics(const reports::run& recorded, const family& of,
                                                  const std::string& experiment) {
  const auto& then = reports::entry_of(*recorded.description, "metric_versions");
  std::unordered_set<std::string> redefined;
  for (const auto& [metric, version] : of.metric_versions) {
    const std::string name = of.word + "/" + metric;
    if (reports::entry_of(then, name) == nlohmann::json(version)) continue;
    if (metric.find('/') == std::string::npos)
      redefined.insert(metric);
    else if (name.starts_with(experiment + "/"))
      redefined.insert(name.substr(experiment.size() + 1));
  }
  return redefined;
}

// Skips the rows of redefined metrics. Returns their number.
std::size_t skip_redefined(std::vector<row>& rows, const std::unordered_set<std::string>& redefined,
                           const std::string& command) {
  std::size_t count = 0;
  for (row& r : rows) {
    if (r.status != "ok" || !redefined.contains(r.metric.str())) continue;
    ++count;
    skip(r, "the metric is defined otherwise today: " + command + " measures it again");
  }
  return count;
}

// Renews the rows of one experiment. Returns the number of rows that the present rule does not give.
std::size_t renew(std::vector<row>& rows, const experiment& e, const std::string& command) {
  std::vector<row> measured;
  std::vector<row> outdated;
  for (row& r : rows) (is_derived(r) ? outdated : measured).push_back(std::move(r));
  std::unordered_set<number_id> known(measured.begin(), measured.end());
  std::vector<row> derived = derived_beside_disturbed(e.derive, measured);
  std::erase_if(derived, [&](const row& r) { return !known.insert(r).second; });
  std::size_t lost = 0;
  for (row& r : outdated) {
    if (known.contains(r)) continue;
    ++lost;
    skip(r, "derived by an older rule, which the present one does not confirm: " + command + " renews it");
    derived.push_back(std::move(r));
  }
  rows = std::move(measured);
  rows.insert(rows.end(), std::make_move_iterator(derived.begin()), std::make_move_iterator(derived.end()));
  return lost;
}

std::unordered_map<reports::shared_text, const experiment*> deriving_experiments() {
  std::unordered_map<reports::shared_text, const experiment*> found;
  for (const family& f : families())
    for (const experiment& e : f.experiments)
      if (e.derive) found[e.layout.id] = &e;
  return found;
}

}  // namespace

std::vector<std::string> rederive(reports::run& recorded) {
  const auto deriving = deriving_experiments();
  std::vector<reports::shared_text> order;
  std::unordered_map<reports::shared_text, std::vector<row>> by_experiment;
  for (row& r : recorded.rows) {
    auto& own = by_experiment[r.experiment];
    if (own.empty()) order.push_back(r.experiment);
    own.push_back(std::move(r));
  }
  std::vector<std::string> lines;
  recorded.rows.clear();
  for (const auto& id : order) {
    auto& rows = by_experiment[id];
    const auto command = command_for(recorded, id);
    if (const family* const of = find_family(reports::family_of(id))) {
      const auto count = skip_redefined(rows, redefined_metrics(recorded, *of, id.str()), command);
      if (count > 0)
        lines.push_back(
            fmt::format("{} rows of {} are of metrics that are defined otherwise today and no evidence: {} "
                        "measures them again",
                        count, id, command));
    }
    if (const auto e = deriving.find(id); e != deriving.end()) {
      if (const auto lost = renew(rows, *e->second, command); lost > 0)
        lines.push_back(fmt::format(
            "{} derived rows of {} are of an older rule and no evidence: {} renews them", lost, id, command));
    }
    recorded.rows.insert(recorded.rows.end(), std::make_move_iterator(rows.begin()),
                         std::make_move_iterator(rows.end()));
  }
  return lines;
}

nlohmann::json metric_versions() {
  nlohmann::json versions = nlohmann::json::object();
  for (const family& f : families())
    for (const auto& [metric, version] : f.metric_versions) versions[f.word + "/" + metric] = version;
  return versions;
}

}  // namespace reprise::harness
