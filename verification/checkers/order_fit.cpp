// SPDX-License-Identifier: MIT
// Fits the order of convergence as a straight line through logarithms.
#include "verification/checkers/order_fit.hpp"

#include <fmt/core.h>

#include <Eigen/Core>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "verification/checkers/maximum.hpp"

namespace reprise::checkers {
namespace {

fitted_order no_order(int points, const std::string& flaw) {
  return {.order = not_a_number, .low = not_a_number, .high = not_a_number, .points = points, .flaw = flaw};
}

// Half the width of a 95 % interval, in standard deviations.
double quantile(int freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), .975);
}

struct straight_line {
  double mean_x, mean_y, spread, slope;
  double variance;  // of a point about the line
  int points;

  double doubt() const { return quantile(points - 2) * std::sqrt(variance / spread); }
  double at(double x) const { return mean_y + slope * (x - mean_x); }
  // Within this distance of the line lies the next point at x.
  double doubt_at(double x) const {
    const double from_mean = x - mean_x;
    return quantile(points - 2) * std::sqrt(variance * (1 + 1. / points + from_mean * from_mean / spread));
  }
};

// Needs at least three points with different x.
straight_line line_through(const Eigen::ArrayXd& x, const Eigen::ArrayXd& y) {
  const Eigen::ArrayXd from_mean = x - x.mean();
  const double spread = from_mean.square().sum();
  const double slope = (from_mean * y).sum() / spread;
  const double misfit = (y - y.mean() - slope * from_mean).square().sum();
  const auto points = static_cast<int>(x.size());
  return {x.mean(), y.mean(), spread, slope, misfit / (points - 2), points};
}

fitted_order order_of(const straight_line& l) {
  return {.order = l.slope, .low = l.slope - l.doubt(), .high = l.slope + l.doubt(), .points = l.points};
}

// The logarithms of the steps and of the errors that count, from the shortest step to the longest.
struct logarithms {
  Eigen::ArrayXd x, y;

  logarithms first(Eigen::Index count) const { return {x.head(count), y.head(count)}; }
  bool is_one_step() const { return x.size() == 0 || x[0] == x[x.size() - 1]; }
};

std::optional<logarithms> logarithms_of(const std::vector<double>& steps, const std::vector<double>& errors,
                                        double floor) {
  constexpr double safety = 10;
  if (steps.size() != errors.size() || !(floor >= 0) || std::isinf(floor)) return {};
  std::vector<std::pair<double, double>> kept;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (!(steps[n] > 0) || !std::isfinite(steps[n]) || !std::isfinite(errors[n])) return {};
    if (errors[n] <= 0 || errors[n] < safety * floor) continue;
    kept.emplace_back(std::log(steps[n]), std::log(errors[n]));
  }
  std::ranges::stable_sort(kept, {}, &std::pair<double, double>::first);
  const auto count = static_cast<Eigen::Index>(kept.size());
  logarithms all{Eigen::ArrayXd(count), Eigen::ArrayXd(count)};
  for (Eigen::Index n = 0; n < count; ++n) std::tie(all.x[n], all.y[n]) = kept[static_cast<std::size_t>(n)];
  return all;
}

// A change of the local slope that nobody would call another order.
constexpr double unimportant_change = .1;

// By how much the local slope changes from the shortest step to the longest, beyond what scatter explains: from a
// parabola through the points.
double certain_change(const logarithms& l) {
  const Eigen::ArrayXd x = l.x - l.x.mean();
  Eigen::MatrixXd powers(x.size(), 3);
  powers << Eigen::VectorXd::Ones(x.size()), x.matrix(), x.square().matrix();
  const Eigen::VectorXd fit = powers.colPivHouseholderQr().solve(l.y.matrix());
  const double misfit = (l.y.matrix() - powers * fit).squaredNorm();
  const auto freedom = static_cast<int>(x.size()) - 3;
  const double variance = (powers.transpose() * powers).inverse()(2, 2) * misfit / freedom;
  const double range = x[x.size() - 1] - x[0];
  return 2 * range * (std::abs(fit[2]) - quantile(freedom) * std::sqrt(variance));
}

// Whether the next longer step's error lies where the line predicts it.
bool continues(const straight_line& l, double nearest_x, double x, double y) {
  const double allowed = larger(l.doubt_at(x), unimportant_change * (x - nearest_x));
  return std::abs(y - l.at(x)) <= allowed;
}

}  // namespace

fitted_order fit_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor) {
  const auto all = logarithms_of(steps, errors, floor);
  if (!all) return no_order(0, "an error is no number");
  const auto points = static_cast<int>(all->x.size());
  if (points < 3 || all->is_one_step()) return no_order(points, "fewer than three errors are above rounding");
  return order_of(line_through(all->x, all->y));
}

fitted_order fit_asymptotic_order(const std::vector<double>& steps, const std::vector<double>& errors,
                                  double floor) {
  const auto all = logarithms_of(steps, errors, floor);
  if (!all) return no_order(0, "an error is no number");
  const Eigen::Index points = all->x.size();
  Eigen::Index used = fewest_points;
  if (points < used || all->first(used).is_one_step())
    return no_order(static_cast<int>(points),
                    fmt::format("{} errors are above the uncertainty of the reference and "
                                "rounding, an order needs {}",
                                points, fewest_points));
  const double change = certain_change(all->first(used));
  if (!(change <= unimportant_change))
    return no_order(fewest_points,
                    fmt::format("no asymptotic range: the local slope still changes by {:.2g}", change));
  straight_line l = line_through(all->x.head(used), all->y.head(used));
  while (used < points && continues(l, all->x[used - 1], all->x[used], all->y[used])) {
    ++used;
    l = line_through(all->x.head(used), all->y.head(used));
  }
  if (!(l.doubt() <= widest_doubt))
    return no_order(l.points, fmt::format("undecided: {:.2f} within {:.2f} at 95 %", l.slope, l.doubt()));
  return order_of(l);
}

bool is_of_order(const fitted_order& fit, double expected, double slack) {
  return fit.low >= expected - slack && fit.high <= expected + slack;
}

}  // namespace reprise::checkers
