// SPDX-License-Identifier: MIT
// Visits the open cases in rounds, each in an order of its own, and looks at the evidence at a few rounds.
#include "benchmarks/harness/duel/referee.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <ostream>
#include <tuple>

#include "benchmarks/harness/duel/processor_pool.hpp"
#include "benchmarks/harness/duel/shared_cases.hpp"
#include "benchmarks/harness/duel/whole_runs.hpp"
#include "reports/store/statistics.hpp"
#include "solvers/common/base/error.hpp"
#include "solvers/common/base/host_processors.hpp"

namespace reprise::duels {
namespace {

using nlohmann::json;
using steady_clock = std::chrono::steady_clock;

double seconds_since(steady_clock::time_point begin) {
  return std::chrono::duration<double>(steady_clock::now() - begin).count();
}

std::vector<judged_case> shared_cases(const std::array<std::vector<offered_case>, 2>& offered,
                                      std::vector<std::string>& left_out) {
  const std::array places{places_of(offered[0]), places_of(offered[1])};
  std::vector<judged_case> shared;
  for (const auto& [id, in_a] : places[0]) {
    const offered_case& a = offered[0][in_a];
    const auto in_b = places[1].find(id);
    const std::string why =
        in_b == places[1].end() ? why_alone(a, 'A', offered[1]) : difference(a, offered[1][in_b->second]);
    if (why.empty())
      shared.emplace_back().of = {a, {in_a, in_b->second}, {}};
    else
      left_out.push_back(case_text(a) + ": " + why);
  }
  for (const auto& [id, in_b] : places[1])
    if (!places[0].contains(id))
      left_out.push_back(case_text(offered[1][in_b]) + ": " + why_alone(offered[1][in_b], 'B', offered[0]));
  return shared;
}

// The case of each variant on each device in each precision that has the most work.
std::vector<judged_case> one_of_each(std::vector<judged_case> cases) {
  const auto subject = [](const judged_case& c) {
    return std::tuple(c.of.what.variant, c.of.what.device, c.of.what.precision);
  };
  const auto work = [](const judged_case& c) { return c.of.what.units; };
  std::ranges::stable_sort(cases, std::greater{}, work);
  std::ranges::stable_sort(cases, {}, subject);
  const auto rest = std::ranges::unique(cases, {}, subject);
  cases.erase(rest.begin(), rest.end());
  return cases;
}

// The fewest bouts that can be clear, if all of them favour one side.
int first_look(std::size_t cases, const reports::duel_rule& rule) {
  return static_cast<int>(std::ceil(std::log2(4 * static_cast<double>(cases) / rule.error)));
}

int look_after(int bouts) {
  return bouts + std::max(bouts / 2, 1);
}

class duel {
 public:
  duel(const duel_request& request, ring in, std::vector<judged_case> cases, bool is_paired,
       std::ostream& progress)
      : request_(request),
        in_(std::move(in)),
        cases_(std::move(cases)),
        is_paired_(is_paired),
        progress_(progress),
        random_(request.seed),
        rule_(request.rule) {
    if (!is_paired) rule_.allows_same = rule_.margin >= whole_runs_floor;
  }

  std::vector<judged_case> hold() {
    int next_look = first_look(cases_.size(), rule_);
    for (int round = 1; has_open_case(); ++round) {
      for (const std::size_t i : order_of_round())
        if (is_open(cases_[i])) visit(cases_[i], round == 1);
      if (round < next_look && has_time()) continue;
      look();
      next_look = look_after(round);
      if (!has_time()) break;
    }
    return std::move(cases_);
  }

 private:
  static bool is_open(const judged_case& c) {
    return c.foul.empty() && c.verdict == reports::pace::undecided;
  }
  bool has_open_case() const { return std::ranges::any_of(cases_, is_open); }

  bool has_time() const {
    return seconds_since(begin_) < request_.seconds_per_case * static_cast<double>(cases_.size());
  }

  std::vector<std::size_t> order_of_round() {
    std::vector<std::size_t> order(cases_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::shuffle(order, random_);
    return order;
  }

  void visit(judged_case& c, bool is_first) {
    const auto begin = steady_clock::now();
    const bool is_on_host = c.of.what.on_host;
    in_.leaves_out_queueing = request_.threads == 1 && is_on_host;
    const bool is_on_one_processor =
        is_paired_ && in_.how == mode::in_turn && request_.threads == 1 && is_on_host;
    if (is_on_one_processor) {
      const int processor = pool_.draw(random_);
      in_.processors = std::array{processor, processor};
    } else if (in_.how == mode::in_turn) {
      in_.processors.reset();
    }
    in_.threads = is_on_host ? request_.threads : std::max(1, usable_processors() / 2);
    try {
      const bout_result r =
          is_paired_ ? fight(in_, c.of, is_first, random_) : fight_by_runs(in_, c.of, random_);
      c.pairs.push_back(r.pair);
      c.seconds = r.seconds;
      if (is_on_one_processor) pool_.learn(in_.processors->front(), r.waited);
    } catch (const foul& f) {
      c.foul = f.what();
      progress_ << case_text(c.of.what) << ": " << c.foul << '\n' << std::flush;
    }
    c.spent += seconds_since(begin);
  }

  void look() {
    std::vector<reports::duel_evidence> evidence;
    std::vector<judged_case*> judged;
    for (judged_case& c : cases_) {
      if (!c.foul.empty()) continue;
      if (is_open(c)) c.evidence.look(c.pairs, rule_);
      evidence.push_back(c.evidence);
      judged.push_back(&c);
    }
    const auto verdicts = reports::judge(evidence, rule_);
    for (std::size_t i = 0; i < judged.size(); ++i) {
      if (verdicts[i] == judged[i]->verdict) continue;
      judged[i]->verdict = verdicts[i];
      progress_ << fmt::format("{}: {}\n", case_text(judged[i]->of.what), to_string(verdicts[i]))
                << std::flush;
    }
  }

  const duel_request& request_;
  ring in_;
  std::vector<judged_case> cases_;
  bool is_paired_;
  std::ostream& progress_;
  std::mt19937_64 random_;
  processor_pool pool_{allowed_processors()};
  reports::duel_rule rule_;
  steady_clock::time_point begin_{steady_clock::now()};
};

// Throws bad_input if there are fewer processors than the sides' threads need.
void require_processors(const duel_request& request) {
  const int sides = request.how == mode::together ? 2 : 1;
  const int needed = sides * request.threads;
  const int there = std::min(static_cast<int>(allowed_processors().size()), usable_processors());
  if (request.threads < 1 || needed > there)
    throw bad_input(
        fmt::format("{} of {} need {} processors, and this process may use {}: give fewer --threads{}",
                    sides == 2 ? "two sides" : "the side that runs",
                    request.threads == 1 ? "one thread" : std::to_string(request.threads) + " threads",
                    needed, there, sides == 2 ? ", or --mode turns" : ""));
  if (sides == 2 && request.threads > 1)
    throw bad_input("sides that run together have one thread each: leave --threads out, or use --mode turns");
}

}  // namespace

duel_result hold(const duel_request& request, std::ostream& progress) {
  duel_result result;
  require_processors(request);
  ring in{{request.sides[0].program, request.sides[1].program},
          to_json(request.of),
          request.how,
          request.threads,
          {},
          false};
  for (std::size_t side : {0, 1}) try {
      result.introductions[side] = introduction_of(in.programs[side]);
    } catch (const lost_side& lost) {
      result.is_paired = false;
      progress << fmt::format("{} takes no part in duels ({}): whole runs take turns\n",
                              request.sides[side].name, lost.what());
    }
  std::array<std::vector<offered_case>, 2> offered;
  for (std::size_t side : {0, 1}) try {
      offered[side] = result.introductions[side].is_null() ? std::vector<offered_case>{}
                                                           : cases_of(in.programs[side], in.request);
    } catch (const refused& no) {
      throw bad_input(fmt::format("{}: {}", request.sides[side].name, no.what()));
    } catch (const lost_side& lost) {
      throw bad_input(fmt::format("{} {}", request.sides[side].name, lost.what()));
    }
  // A side that knows no duels is taken to have the other one's cases; its runs tell whether it does.
  for (std::size_t side : {0, 1})
    if (result.introductions[side].is_null()) offered[side] = offered[1 - side];
  auto cases = shared_cases(offered, result.left_out);
  if (!request.names_cases) cases = one_of_each(std::move(cases));
  if (cases.empty())
    throw bad_input(fmt::format("{} and {} share no case that both can run{}: choose other cases",
                                request.sides[0].name, request.sides[1].name,
                                result.left_out.empty() ? "" : ", for example " + result.left_out.front()));
  if (in.how == mode::together) {
    const auto processors = allowed_processors();
    in.processors = std::array{processors[0], processors[1]};
  }
  result.how = in.how;
  result.cases = duel(request, in, std::move(cases), result.is_paired, progress).hold();
  return result;
}

}  // namespace reprise::duels
