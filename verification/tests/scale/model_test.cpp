// SPDX-License-Identifier: MIT
// Tests the prediction for more ranks on generated points with known parameters.
#include "benchmarks/scale/model.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using namespace reprise::harness::scale;

namespace {

constexpr double per_cell = 6e-11;
constexpr double launch = 3e-6;
constexpr double latency = 15e-6;
constexpr double per_border_cell = 2e-9;
constexpr double overhead = 4e-6;

double true_step(int ranks, double cells) {
  const double own = cells / ranks;
  const double compute = per_cell * own + launch;
  if (ranks == 1) return compute;
  return std::max(compute, latency + per_border_cell * std::sqrt(own)) + overhead;
}

std::vector<measured_step> made_up(double noise) {
  std::mt19937 engine(7);
  std::normal_distribution<double> by(1, noise);
  std::vector<measured_step> steps;
  for (int ranks : {1, 2, 4})
    for (double cells : {655362., 2621442., 10485762.}) {
      const double own = cells / ranks;
      steps.push_back({ranks, cells, true_step(ranks, cells) * by(engine),
                       (per_cell * own + launch) * by(engine),
                       ranks == 1 ? 0 : (latency + per_border_cell * std::sqrt(own)) * by(engine)});
    }
  return steps;
}

}  // namespace

TEST_CASE("a line through points without noise is theirs, and certain") {
  const std::vector<fitted_line::point> points{{1, 5}, {2, 7}, {10, 23}};
  const auto line = fitted_line::through(points);
  REQUIRE(line);
  CHECK_THAT(line->at(100), WithinRel(203., 1e-12));
  CHECK(line->deviation(100) < 1e-9);
}

TEST_CASE("too few points, or all at one place, make no line") {
  const std::vector<fitted_line::point> two{{1, 5}, {2, 7}};
  const std::vector<fitted_line::point> one_place{{3, 5}, {3, 7}, {3, 6}};
  CHECK_FALSE(fitted_line::through(two));
  CHECK_FALSE(fitted_line::through(one_place));
}

TEST_CASE("steps on many ranks are predicted from few, within what is said of it") {
  for (double noise : {0., .02}) {
    const auto found = model::of(made_up(noise));
    REQUIRE(found);
    for (int ranks : {8, 64, 1024}) {
      const double expected = true_step(ranks, 10485762);
      const predicted_step p = found->predict(ranks, 10485762);
      INFO(ranks << " ranks, noise " << noise << ": " << p.seconds << " for " << expected);
      CHECK_THAT(p.seconds, WithinRel(expected, noise == 0 ? 1e-6 : .2));
      CHECK(p.shortest < expected);
      CHECK(p.longest > expected);
      CHECK(p.shortest <= p.seconds);
      CHECK(p.seconds <= p.longest);
    }
  }
}

TEST_CASE("more noise makes a prediction less certain") {
  const auto width = [](double noise) {
    const predicted_step p = model::of(made_up(noise))->predict(256, 10485762);
    return p.longest - p.shortest;
  };
  CHECK(width(.1) > width(.01));
}

TEST_CASE("one rank alone predicts nothing") {
  std::vector<measured_step> steps = made_up(0);
  std::erase_if(steps, [](const measured_step& s) { return s.ranks > 1; });
  CHECK_FALSE(model::of(steps));
}
