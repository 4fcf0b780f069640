// SPDX-License-Identifier: MIT
// Compares what two sides offer.
#include "benchmarks/harness/duel/shared_cases.hpp"

#include <fmt/format.h>

namespace reprise::duels {
namespace {

char other_of(char side) {
  return side == 'A' ? 'B' : 'A';
}

}  // namespace

std::string difference(const offered_case& a, const offered_case& b) {
  if (a.device_name != b.device_name) return "A runs on " + a.device_name + ", B on " + b.device_name;
  if (a.metric != b.metric)
    return fmt::format("A times {}, B {}", std::string(a.metric), std::string(b.metric));
  if (a.repeats != b.repeats) return fmt::format("A times {} repeats, B {}", a.repeats, b.repeats);
  if (a.units != b.units) return fmt::format("a repeat of A has {} units of work, of B {}", a.units, b.units);
  for (const auto& [side, c] : {std::pair{'A', &a}, {'B', &b}})
    if (!c->unavailable.empty()) return fmt::format("{} cannot run it: {}", side, c->unavailable);
  return "";
}

std::map<reports::number_id, std::size_t> places_of(const std::vector<offered_case>& offered) {
  std::map<reports::number_id, std::size_t> places;
  for (std::size_t i = 0; i < offered.size(); ++i) places.try_emplace(without_experiment(offered[i]), i);
  return places;
}

std::string why_alone(const offered_case& alone, char side, const std::vector<offered_case>& of_other) {
  for (const offered_case& c : of_other) {
    if (c.variant != alone.variant || c.device != alone.device) continue;
    if (c.size == alone.size && c.parameter == alone.parameter && c.precision != alone.precision)
      return fmt::format("{} has it in {}, {} in {} precision", side, std::string(alone.precision),
                         other_of(side), std::string(c.precision));
    if (c.precision == alone.precision && c.parameter == alone.parameter && c.size != alone.size)
      return fmt::format("{} has the size {}, {} has {}", side, std::string(alone.size), other_of(side),
                         std::string(c.size));
    if (c.precision == alone.precision && c.size == alone.size && c.parameter == alone.parameter &&
        c.metric != alone.metric)
      return fmt::format("{} times {}, {} {}", side, std::string(alone.metric), other_of(side),
                         std::string(c.metric));
  }
  return fmt::format("only {} has it", side);
}

}  // namespace reprise::duels
