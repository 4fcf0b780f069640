// SPDX-License-Identifier: MIT
// Tests the fit of an order of convergence on errors of a known order.
#include "verification/checkers/order_fit.hpp"
#include "verification/tests/support/tests.hpp"

using namespace reprise;
using checkers::fit_asymptotic_order;
using checkers::fit_order;

namespace {

const std::vector<double> steps{.1, .05, .025, .0125, .00625};

std::vector<double> power_law(double order, double factor) {
  std::vector<double> errors;
  for (double step : steps) errors.push_back(factor * std::pow(step, order));
  return errors;
}

}  // namespace

TEST_CASE("an exact power law has its order, and no doubt about it") {
  const auto fit = fit_order(steps, power_law(3, 7), 0);
  CHECK_THAT(fit.order, WithinAbs(3, 1e-12));
  CHECK_THAT(fit.low, WithinAbs(3, 1e-6));
  CHECK_THAT(fit.high, WithinAbs(3, 1e-6));
  CHECK(fit.points == 5);
}

TEST_CASE("scatter widens the interval of an order as Student's t says") {
  // The residuals +1, -1, 0, -1, +1 of log2 have zero mean and zero slope. Their sum of squares is 4, that of
  // the centred logarithms of the steps is 10, and t(3) at 97.5 % is 3.182446.
  auto errors = power_law(2, 1);
  const std::vector<double> doublings{1, -1, 0, -1, 1};
  for (std::size_t n = 0; n < errors.size(); ++n) errors[n] *= std::exp2(doublings[n]);
  const auto fit = fit_order(steps, errors, 0);
  CHECK_THAT(fit.order, WithinAbs(2, 1e-12));
  CHECK_THAT(fit.high - fit.order, WithinAbs(3.182446 * std::sqrt(4.0 / 3 / 10), 1e-6));
  CHECK_THAT(fit.order - fit.low, WithinAbs(fit.high - fit.order, 1e-12));
}

TEST_CASE("errors on the plateau of rounding are no part of an order") {
  auto errors = power_law(4, 1);
  errors[3] = 3e-7;
  errors[4] = 2e-7;
  const auto fit = fit_order(steps, errors, 3.5e-8);
  CHECK_THAT(fit.order, WithinAbs(4, 1e-12));
  CHECK(fit.points == 3);
  CHECK(fit_order(steps, errors, 0).order < 3.9);
}

TEST_CASE("two points, one step over and over or a failed run are no order") {
  CHECK(std::isnan(fit_order({.1, .05}, {1e-2, 5e-3}, 0).order));
  CHECK(std::isnan(fit_order(steps, power_law(4, 1), 1e-7).low));
  CHECK(fit_order(steps, power_law(4, 1), 1e-7).points == 2);
  CHECK(std::isnan(fit_order({.1, .1, .1}, {1, 2, 3}, 0).order));
  CHECK(std::isnan(fit_order(steps, {0, 0, 0, 0, 0}, 0).order));
  CHECK(std::isnan(fit_order({}, {}, 0).order));
  CHECK(std::isnan(fit_order({.1, .05, .025, .0125}, {1e-2, NAN, 2.5e-3, 1e-3}, 0).order));
  CHECK(std::isnan(fit_order({.1, .05, .025, .0125}, {INFINITY, 5e-3, 2.5e-3, 1e-3}, 0).order));
  CHECK(std::isnan(fit_order({.1, .05, .025}, {1e-2, 5e-3}, 0).order));
}

TEST_CASE("an order is that of the asymptotic range, whatever longer steps say") {
  const std::vector<double> many{.08, .04, .02, .01, .008, .005, .004, .0025, .002, .00125};
  // Runge-Kutta on a switch whose layer the longest steps do not resolve: a term of a higher order dominates them.
  const auto errors_with = [&](double higher) {
    std::vector<double> errors;
    for (double step : many) errors.push_back(20 * std::pow(step, 4) + higher * std::pow(step, 7));
    return errors;
  };
  const auto fit = fit_asymptotic_order(many, errors_with(1e6), 0);
  CHECK(checkers::is_of_order(fit, 4, .1));
  CHECK(fit.points >= checkers::fewest_points);
  CHECK(fit.points < 10);
  CHECK(fit_order(many, errors_with(1e6), 0).order > 4.3);
  CHECK(fit_asymptotic_order(many, errors_with(0), 0).points == 10);
  // Steps that are all too long show no order, and say why.
  const std::vector<double> longest{.16, .08, .04, .02, .01};
  std::vector<double> bent;
  for (double step : longest) bent.push_back(20 * std::pow(step, 4) + 1e6 * std::pow(step, 7));
  CHECK_THAT(fit_asymptotic_order(longest, bent, 0).flaw, ContainsSubstring("no asymptotic range"));
  CHECK_THAT(fit_asymptotic_order(steps, power_law(4, 1), 1e-9).flaw, ContainsSubstring("an order needs 5"));
}

TEST_CASE("scatter that leaves the order open is no order") {
  auto errors = power_law(2, 1);
  const std::vector<double> doublings{1, -1, 0, -1, 1};
  for (std::size_t n = 0; n < errors.size(); ++n) errors[n] *= std::exp2(doublings[n]);
  const auto fit = fit_asymptotic_order(steps, errors, 0);
  CHECK(std::isnan(fit.order));
  CHECK_THAT(fit.flaw, ContainsSubstring("undecided"));
  CHECK_FALSE(checkers::is_of_order(fit, 2, 1));
}

TEST_CASE("an order of five and a half is not five") {
  const auto fit = fit_asymptotic_order(steps, power_law(5.41, 1), 0);
  CHECK_FALSE(checkers::is_of_order(fit, 5, .3));
  CHECK_FALSE(checkers::is_of_order(fit, 6, .3));
}
