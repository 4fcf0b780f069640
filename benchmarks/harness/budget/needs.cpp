// SPDX-License-Identifier: MIT
// Finds the cases that a headline needs, by the selectors of its quantity.
#include "benchmarks/harness/budget/needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "reports/store/glob.hpp"
#include "reports/store/parameters.hpp"

namespace reprise::budget {
namespace {

using reports::matches_glob;
using reports::selector;

// Whether no part that both parameters have differs. A derived row has fewer parts than the cases behind it, and a row
// of one step of a case has more.
bool is_compatible(const std::string& wanted, const std::string& of_case) {
  const reports::parameters known(of_case);
  std::string_view rest = wanted;
  while (!rest.empty()) {
    const auto part = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const auto name = part.substr(0, part.find('='));
    if (known.has(name) && known.text_of(name) != part.substr(std::min(part.size(), name.size() + 1)))
      return false;
  }
  return true;
}

// Whether the selector's number may be derived from several cases. Then those of smaller sizes belong to it, too.
bool may_be_derived(const selector& s, const harness::step& step, std::string_view usual_metric) {
  const std::string_view metric = s.metric.empty() ? usual_metric : std::string_view(s.metric);
  return step.of->derive && metric != step.plan.metric && metric != step.plan.cold_metric;
}

bool fits_size(const selector& s, const harness::step& step, std::string_view usual_metric) {
  if (matches_glob(s.size, step.plan.size)) return true;
  return may_be_derived(s, step, usual_metric) && reports::size_before(step.plan.size, s.size);
}

bool fits(const selector& s, const harness::step& step, std::string_view usual_metric) {
  const std::string& id = step.of->layout.id;
  return (s.experiment.empty() || s.experiment == id || s.experiment == reports::short_name(id)) &&
         matches_glob(s.variant, reports::short_name(step.plan.variant)) &&
         (s.precision.empty() || s.precision == to_string(step.plan.arithmetic)) &&
         is_compatible(s.parameter, step.plan.parameter) && fits_size(s, step, usual_metric);
}

// A mean over variants whose answers agree is the same over one of them.
bool is_mean_of_any(const reports::quantity& q, std::size_t selector) {
  return q.selectors[selector].variant == "*" && q.literals[selector].ends_with("avg(") &&
         q.literals[selector + 1].starts_with(")");
}

using series = std::pair<std::string, std::string>;  // variant and device

// The steps that a selector needs, by variant and device: all that are ready of those with a step of its size.
struct matches {
  std::map<series, std::vector<std::size_t>> ready;
  std::string why_none;  // the reason of a matching step that is not ready
};

matches matches_of(const selector& s, std::span<const offer> offers, std::string_view family,
                   std::string_view usual_metric) {
  matches found;
  std::set<series> of_size;  // with a step of a size of the selector itself, and not only of smaller ones
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const harness::step& step = *offers[i].what;
    if (reports::family_of(step.of->layout.id) != family || !fits(s, step, usual_metric)) continue;
    const bool is_on_device = s.device.empty() || step.on.variant == nullptr ||
                              matches_glob(s.device, step.on.device.id) ||
                              matches_glob(s.device, step.on.device.name);
    if (!is_on_device) continue;
    const bool is_of_size = matches_glob(s.size, step.plan.size);
    if (!offers[i].why_not.empty()) {
      if (is_of_size || found.why_none.empty())
        found.why_none = fmt::format("{}: {}", reports::short_name(step.plan.variant), offers[i].why_not);
      continue;
    }
    const series own{step.plan.variant, step.on.device.id};
    if (is_of_size) of_size.insert(own);
    found.ready[own].push_back(i);
  }
  std::erase_if(found.ready, [&](const auto& one) { return !of_size.contains(one.first); });
  return found;
}

// Keeps, of each variant, only one device; if one variant is enough, only that variant. The papers' claims are about GPUs, so OpenCL
// on a processor serves only where there is none. Then the device with most cases is taken, and of these the cheapest.
std::vector<std::size_t> cheapest(const matches& found, std::span<const offer> offers, bool any_variant) {
  struct choice {
    bool stands_for_a_gpu;
    std::ptrdiff_t missing;
    double seconds;
    const std::vector<std::size_t>* steps;
    auto rank() const { return std::tie(stands_for_a_gpu, missing, seconds); }
  };
  std::map<std::string, choice> best;
  for (const auto& [of, steps] : found.ready) {
    double seconds = 0;
    for (const std::size_t i : steps) seconds += offers[i].seconds;
    const device& on = offers[steps.front()].what->on.device;
    const choice one{on.on_host && on.kind != backend::cpu, -std::ssize(steps), seconds, &steps};
    const auto [at, is_new] = best.try_emplace(any_variant ? "" : of.first, one);
    if (one.rank() < at->second.rank()) at->second = one;
  }
  std::vector<std::size_t> chosen;
  for (const auto& [variant, one] : best) chosen.insert(chosen.end(), one.steps->begin(), one.steps->end());
  return chosen;
}

// Adds what the claim's quantity needs, or says why it cannot be had.
void add_needs(item& to, const reports::claim& c, std::span<const offer> offers, std::string_view family,
               std::string_view usual_metric) {
  std::set<std::size_t> steps;
  for (const reports::claim_part& part : c.parts) {
    const reports::quantity& q = part.expression;
    for (std::size_t n = 0; n < q.selectors.size(); ++n) {
      const selector& s = q.selectors[n];
      if (s.published) continue;
      const matches found = matches_of(s, offers, family, usual_metric);
      if (found.ready.empty()) {
        to.why_not = found.why_none.empty() ? fmt::format("this preset has no case of {{{}}}", s.text)
                                            : found.why_none;
        return;
      }
      for (const std::size_t i : cheapest(found, offers, is_mean_of_any(q, n))) steps.insert(i);
    }
  }
  to.steps.assign(steps.begin(), steps.end());
}

bool is_on_offer(const selector& s, std::span<const offer> offers, std::string_view family) {
  return std::ranges::any_of(offers, [&](const offer& o) {
    const std::string& id = o.what->of->layout.id;
    return reports::family_of(id) == family &&
           (s.experiment.empty() || s.experiment == id || s.experiment == reports::short_name(id));
  });
}

// Whether the run was asked for every experiment that the claim reads.
bool is_on_offer(const reports::claim& c, std::span<const offer> offers, std::string_view family) {
  return std::ranges::all_of(c.parts, [&](const reports::claim_part& part) {
    return std::ranges::all_of(part.expression.selectors, [&](const selector& s) {
      return s.published || is_on_offer(s, offers, family);
    });
  });
}

}  // namespace

std::vector<item> headline_items(std::span<const offer> offers, std::string_view family,
                                 std::span<const reports::claim> claims, std::string_view usual_metric) {
  std::vector<item> items;
  for (const reports::claim& c : claims) {
    if (c.headline == 0 || !is_on_offer(c, offers, family)) continue;
    item made{tier::headline, fmt::format("headline {}/{}", family, c.id), {}, ""};
    add_needs(made, c, offers, family, usual_metric);
    if (!made.is_possible() && !c.decided_by.empty()) made.why_not += "; decided by: " + c.decided_by;
    items.push_back(std::move(made));
  }
  return items;
}

}  // namespace reprise::budget
