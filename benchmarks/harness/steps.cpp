// SPDX-License-Identifier: MIT
// Plans the cases that a request chooses, and estimates their time.
#include "benchmarks/harness/steps.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>

#include "reports/store/glob.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::harness {
namespace {

using reports::matches_glob;

// Throws bad_input for a setting that an experiment does not have: it would silently have no effect.
void require_settings(const std::vector<const experiment*>& chosen, const plan_request& request) {
  for (const auto& [name, value] : request.settings)
    for (const experiment* e : chosen) {
      const auto& own = find_family(reports::family_of(e->layout.id))->settings;
      if (std::ranges::find(own, name) == own.end())
        throw bad_input(
            fmt::format("{} has no setting '{}': {}", e->layout.id, name,
                        own.empty() ? "it has none at all" : fmt::format("it has {}", fmt::join(own, ", "))));
    }
}

// Rough estimate of a case's seconds: sampling, the reference solution (proportional to the number of nodes), and the
// repeats that checks and the fewest samples take if one is long.
double weight_of(const case_plan& plan, const device& on, preset level) {
  const double base =
      (plan.runs_once ? .1 : 1) * base_seconds(level);  // mostly checks where nothing is sampled
  const double repeats = plan.runs_once ? 1 : 8;
  const double repeat = plan.expected_seconds ? plan.expected_seconds(on) : 0;
  const double all = repeat > 2 * base_seconds(level) ? repeat : repeats * repeat;
  return base + plan.units_per_repeat * 2e-6 + std::min(all, 60.0);
}

std::string text_of(const std::map<std::string, double>& settings) {
  std::string text;
  for (const auto& [name, value] : settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

bool is_chosen(const case_plan& plan, const case_choice& choice) {
  const auto has = [](const std::vector<std::string>& globs, auto fits) {
    return globs.empty() || std::ranges::any_of(globs, fits);
  };
  return has(choice.variants, [&](const std::string& glob) { return matches(glob, plan.variant); }) &&
         has(choice.parameters,
             [&](const std::string& glob) { return matches_glob(glob, plan.parameter); }) &&
         matches_glob(choice.precision, std::string(to_string(plan.arithmetic)));
}

}  // namespace

double base_seconds(preset level) {
  return by_preset(level, .15, 1.5, 5.);
}

std::vector<step> plan_steps(const std::vector<const experiment*>& experiments, const run_request& request) {
  require_settings(experiments, request.plan);
  std::vector<step> steps;
  for (const experiment* e : experiments) {
    auto planned = e->plan(request.plan);
    for (case_plan& plan : planned) {
      if (!is_chosen(plan, request.choice)) continue;
      plan.writes_end = request.plan.writes_end;
      plan.settings = text_of(request.plan.settings);
      std::vector<target> targets = targets_of(plan.variant, request.device_glob, false);
      if (plan.is_on_ranks) targets.resize(1);
      for (const target& on : targets)
        steps.push_back(
            {e, plan, on, on.variant == nullptr ? 0 : weight_of(plan, on.device, request.plan.level)});
    }
  }
  if (steps.empty())
    throw bad_input(
        "no case of these experiments has this variant, precision and parameter: change what was asked for");
  return steps;
}

std::string label_of(const step& s) {
  const std::string_view name = std::string_view(s.plan.variant).substr(s.plan.variant.find('/') + 1);
  return fmt::format("{} {}@{}{}", s.of->layout.id, name, s.plan.size,
                     s.on.variant == nullptr ? "" : " " + s.on.device.id);
}

}  // namespace reprise::harness
