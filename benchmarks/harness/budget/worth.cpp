// SPDX-License-Identifier: MIT
// Sorts items in stages; within a stage, papers or experiments take turns, and the cheapest item is the first.
#include "benchmarks/harness/budget/worth.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace reprise::budget {
namespace {

using reports::layout;

// The slices that take turns: those of a paper's tables or figures, and then those of an experiment.
std::string group_of(const item& i, std::span<const offer> offers) {
  const layout& shown = offers[i.steps.front()].what->of->layout;
  return i.rank == tier::first ? kind_of(shown) + std::string(reports::family_of(shown.id)) : shown.id;
}

// A headline that takes more than this share of the budget waits until each paper has a table and a figure, unless these take as
// much.
constexpr double dear_share = .1;

int stage_of(const item& i, int round, bool is_dear) {
  switch (i.rank) {
    case tier::headline:
      return is_dear ? 2 : 0;
    case tier::first:
      return round == 0 && !is_dear ? 1 : 3;
    case tier::spread:
      break;
  }
  return 4;
}

}  // namespace

void sort_by_worth(std::vector<item>& items, std::span<const offer> offers, double budget_seconds) {
  struct worth {
    int stage;
    int round;  // how many of its paper's tables or figures, or of its experiment's slices, come before it
    double price;
    std::string name;
    item* what;
  };
  const auto key = [](const worth& w) { return std::tie(w.stage, w.round, w.price, w.name); };
  const auto before = [&](const worth& a, const worth& b) { return key(a) < key(b); };
  std::vector<worth> order;
  for (item& i : items) order.push_back({0, 0, price_of(i, offers), i.name, &i});
  std::ranges::sort(order, before);
  std::map<std::string, int> rounds;
  for (worth& w : order) {
    const item& i = *w.what;
    if (i.rank != tier::headline) w.round = rounds[group_of(i, offers)]++;
    w.stage = stage_of(i, w.round, w.price > dear_share * budget_seconds);
  }
  std::ranges::sort(order, before);
  std::vector<item> sorted;
  for (const worth& w : order) sorted.push_back(std::move(*w.what));
  items = std::move(sorted);
}

}  // namespace reprise::budget
