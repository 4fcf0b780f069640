// SPDX-License-Identifier: MIT
// Signed ranks by hand and by simulation, and the error rates of duels.
#include "reports/compare/paired.hpp"

#include <catch2/catch_approx.hpp>
#include <random>

using namespace reprise::reports;
using Catch::Approx;

namespace {

// Pairs of two programs of which the second takes `shift` longer, with outliers as a shared machine has.
std::vector<double> noisy_pairs(std::size_t count, double shift, std::mt19937_64& random) {
  std::normal_distribution<double> usual(shift, .01);
  std::normal_distribution<double> rare(shift, .3);
  std::vector<double> pairs;
  for (std::size_t i = 0; i < count; ++i) pairs.push_back(i % 7 == 3 ? rare(random) : usual(random));
  return pairs;
}

// The verdict on a case whose pairs are looked at after 12, 18, 27 and 40 bouts.
pace verdict_on(double shift, std::mt19937_64& random, const duel_rule& rule) {
  const auto pairs = noisy_pairs(40, shift, random);
  duel_evidence evidence;
  for (const std::size_t bouts : {12U, 18U, 27U, 40U}) {
    evidence.look(std::span(pairs).first(bouts), rule);
    const pace verdict = judge(std::span(&evidence, 1), rule).front();
    if (verdict != pace::undecided) return verdict;
  }
  return pace::undecided;
}

}  // namespace

TEST_CASE("signed ranks have the chances that counting gives") {
  const std::vector positive{1., 2., 3.};
  CHECK(chance_of_being_above(positive, 0) == Approx(1. / 8));
  const std::vector mixed{-1., 2., 3.};  // sum of ranks 5: {2,3} and {1,2,3}
  CHECK(chance_of_being_above(mixed, 0) == Approx(2. / 8));
  CHECK(chance_of_being_above(positive, 4) == Approx(1));
}

TEST_CASE("the exact and the normal chances of signed ranks meet") {
  std::mt19937_64 random(1);
  const auto pairs = noisy_pairs(61, .002, random);
  const double normal = chance_of_being_above(pairs, 0);
  const double exact = chance_of_being_above(std::span(pairs).first(60), 0);
  CHECK(normal == Approx(exact).epsilon(.5));
}

TEST_CASE("the centre of pairs is the median of the means of two") {
  const std::vector pairs{0., 1., 5.};  // means 0 .5 1 2.5 3 5
  CHECK(centre_of(pairs, .5).value == Approx(1.75));
  CHECK(std::isinf(centre_of(pairs, .01).low));
}

TEST_CASE("the interval of the centre misses it as seldom as promised") {
  std::mt19937_64 random(2);
  int missed = 0;
  constexpr int trials = 1000;
  for (int i = 0; i < trials; ++i) {
    const auto pairs = noisy_pairs(20, .05, random);
    const paired_estimate e = centre_of(pairs, .1);
    missed += e.low > .05 || e.high < .05 ? 1 : 0;
  }
  CHECK(missed < .13 * trials);
  CHECK(missed > .05 * trials);
}

TEST_CASE("equal programs are seldom called faster or slower, and slow ones are found") {
  std::mt19937_64 random(3);
  const duel_rule rule{.02, .01, true};
  int false_alarms = 0;
  int found = 0;
  constexpr int trials = 500;
  for (int i = 0; i < trials; ++i) {
    const pace equal = verdict_on(0, random, rule);
    false_alarms += equal == pace::slower || equal == pace::faster ? 1 : 0;
    found += verdict_on(std::log(1.05), random, rule) == pace::slower ? 1 : 0;
  }
  CHECK(false_alarms <= .02 * trials);
  CHECK(found >= .95 * trials);
}

TEST_CASE("a difference beyond the margin is seldom called the same") {
  std::mt19937_64 random(4);
  const duel_rule rule{.02, .01, true};
  int wrong = 0;
  constexpr int trials = 500;
  for (int i = 0; i < trials; ++i) wrong += verdict_on(.0101, random, rule) == pace::same ? 1 : 0;
  CHECK(wrong <= .02 * trials);
}

TEST_CASE("whole runs are called the same only beyond their floor") {
  std::mt19937_64 random(5);
  const auto pairs = noisy_pairs(60, 0, random);
  for (const bool allows_same : {true, false}) {
    const duel_rule rule{.002, .05, allows_same};
    duel_evidence evidence;
    evidence.look(pairs, rule);
    CHECK(judge(std::span(&evidence, 1), rule).front() == (allows_same ? pace::same : pace::undecided));
  }
}

TEST_CASE("many cases at once need clearer evidence for each") {
  const duel_rule rule{.002, .01, true};
  std::vector<double> pairs(12);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = .05 + .001 * static_cast<double>(i);
  duel_evidence evidence;
  evidence.look(pairs, rule);
  CHECK(judge(std::vector(1, evidence), rule).front() == pace::slower);
  const auto verdicts = judge(std::vector(20, evidence), rule);
  CHECK(std::ranges::count(verdicts, pace::undecided) == 20);
}
