// SPDX-License-Identifier: MIT
// Parses the command line's texts, holds the duel and prints its result.
#include "benchmarks/commands/duel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

#include "benchmarks/commands/share.hpp"
#include "benchmarks/harness/budget/schedule.hpp"
#include "benchmarks/harness/duel/referee.hpp"
#include "benchmarks/harness/duel/text.hpp"
#include "reports/store/files.hpp"
#include "solvers/common/base/error.hpp"

namespace reprise::benchmarks {
namespace {

using reports::pace;

std::array<std::string, 2> names_of(const duel_request& typed) {
  if (typed.commit.empty() && typed.sides.size() == 2) return {typed.sides[0], typed.sides[1]};
  if (!typed.commit.empty() && typed.sides.empty()) return {typed.commit, "HEAD"};
  throw bad_input("a duel has two sides: name two builds, installed prefixes or commits, or one --commit");
}

harness::run_request cases_of(const duel_request& typed) {
  harness::run_request of;
  if (!typed.experiments.empty()) of.experiments = typed.experiments;
  harness::require_device_name(typed.device);
  of.device_glob = typed.device;
  of.plan.level = harness::parse_preset(typed.preset);
  harness::add_sizes(of, typed.sizes);
  for (const std::string& text : typed.settings) of.plan.settings.insert(harness::parse_setting(text));
  of.choice = {typed.variants, typed.parameters, typed.precision};
  return of;
}

duels::duel_request parsed(const duel_request& typed, std::ostream& progress) {
  const auto names = names_of(typed);
  duels::duel_request request;
  request.of = cases_of(typed);
  request.names_cases = !typed.variants.empty() || !typed.sizes.empty() || !typed.parameters.empty() ||
                        !typed.experiments.empty();
  request.how = typed.mode == "together" ? duels::mode::together : duels::mode::in_turn;
  request.threads = typed.threads;
  request.rule.margin = std::log1p(parse_share("--margin", typed.margin));
  if (!typed.budget.empty()) request.seconds_per_case = budget::parse_duration(typed.budget);
  request.seed = typed.seed;
  std::vector<std::string> words;
  for (const harness::family* f : families_of(request.of)) words.push_back(f->word);
  for (const std::size_t side : {0, 1})
    request.sides[side] = duels::find_contestant(names[side], words, progress);
  return request;
}

outcome outcome_of(const duels::duel_result& result) {
  const auto has = [&](auto what) { return std::ranges::any_of(result.cases, what); };
  if (has([](const auto& c) { return !c.foul.empty(); })) return outcome::wrong;
  if (has([](const auto& c) { return c.verdict == pace::slower; })) return outcome::slower;
  return has([](const auto& c) { return c.verdict == pace::undecided; }) ? outcome::undecided : outcome::good;
}

}  // namespace

outcome duel(const duel_request& typed, std::ostream& out, std::ostream& progress) {
  if (!typed.out.empty()) reports::make_folders(typed.out);  // what cannot be written is said before the duel
  const duels::duel_request request = parsed(typed, progress);
  const duels::duel_result result = hold(request, progress);
  out << (typed.as_json ? to_json(result, request).dump(2) + "\n" : to_text(result, request));
  if (!typed.out.empty()) {
    reports::write_text(typed.out / "duel.json", to_json(result, request).dump(2) + "\n");
    reports::write_text(typed.out / "duel.md", to_markdown(result, request));
    reports::write_text(typed.out / "duel.svg", to_svg(result, request));
    reports::write_text(typed.out / "pairs.csv", pairs_csv(result));
  }
  return outcome_of(result);
}

}  // namespace reprise::benchmarks
