// SPDX-License-Identifier: MIT
// Groups the cases of tables and figures by what belongs together.
#include "benchmarks/harness/budget/slices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/store/parameters.hpp"

namespace reprise::budget {
namespace {

using reports::layout;

// A parameter's parts that are no numbers: "method=heun;dt=0.01" is "method=heun".
std::string words_of(const std::string& parameter) {
  reports::parameters words(parameter);
  std::string_view rest = parameter;
  while (!rest.empty()) {
    const auto part = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    const auto name = part.substr(0, part.find('='));
    if (words.number(name) == words.number(name)) words = words.without(name);
  }
  return words.text();
}

bool is_over_sizes(const layout& shown) {
  return shown.shape == layout::kind::figure && (shown.x == "width" || shown.x == "nodes");
}

// What distinguishes the slices of an experiment.
std::string slice_of(const harness::step& s) {
  const layout& shown = s.of->layout;
  const std::string words = shown.shape == layout::kind::figure && shown.x.starts_with("parameter:")
                                ? reports::parameters(words_of(s.plan.parameter))
                                      .without(shown.x.substr(shown.x.find(':') + 1))
                                      .text()
                                : words_of(s.plan.parameter);
  const std::string size = is_over_sizes(shown) ? std::string() : s.plan.size;
  return fmt::format("{}{}{}", size, size.empty() || words.empty() ? "" : " ", words);
}

// A figure's curves at their cheapest points on the axis, and then at all others.
std::vector<item> split_by_points(item whole, std::span<const offer> offers) {
  constexpr std::size_t enough_points = 4;
  std::map<std::string, double> price_at;  // by size
  for (const std::size_t step : whole.steps) price_at[offers[step].what->plan.size] += offers[step].seconds;
  if (!is_over_sizes(offers[whole.steps.front()].what->of->layout) || price_at.size() <= enough_points)
    return {std::move(whole)};
  std::vector<std::pair<double, std::string>> points;
  for (const auto& [size, price] : price_at) points.emplace_back(price, size);
  std::ranges::sort(points);
  item few{whole.rank, whole.name + fmt::format(", {} points", enough_points), {}, ""};
  item others{whole.rank, whole.name + ", other points", {}, ""};
  for (const std::size_t step : whole.steps) {
    const auto at =
        std::ranges::find(points, offers[step].what->plan.size, [](const auto& p) { return p.second; });
    (static_cast<std::size_t>(at - points.begin()) < enough_points ? few : others).steps.push_back(step);
  }
  return {std::move(few), std::move(others)};
}

}  // namespace

std::vector<item> slice_items(std::span<const offer> offers) {
  std::map<std::pair<std::string, std::string>, item> slices;  // by experiment and slice
  for (std::size_t i = 0; i < offers.size(); ++i) {
    if (!offers[i].why_not.empty()) continue;
    const harness::step& s = *offers[i].what;
    const std::string which = slice_of(s);
    item& at = slices[{s.of->layout.id, which}];
    at.rank = tier::spread;
    at.name =
        fmt::format("{} {}{}{}", kind_of(s.of->layout), s.of->layout.id, which.empty() ? "" : ": ", which);
    at.steps.push_back(i);
  }
  std::vector<item> all;
  std::map<std::string, std::pair<double, std::size_t>> cheapest;  // by experiment
  for (auto& [key, slice] : slices) {
    std::vector<item> parts = split_by_points(std::move(slice), offers);
    const double price = price_of(parts.front(), offers);
    const auto [at, is_new] = cheapest.try_emplace(key.first, price, all.size());
    if (price < at->second.first) at->second = {price, all.size()};
    for (item& part : parts) all.push_back(std::move(part));
  }
  for (const auto& [experiment, best] : cheapest) all[best.second].rank = tier::first;
  return all;
}

}  // namespace reprise::budget
