// SPDX-License-Identifier: MIT
// Fits the order of convergence as a straight line through logarithms.
#include "verification/checkers/order_fit.hpp"

#include <Eigen/Core>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "verification/checkers/maximum.hpp"

namespace reprise::checkers {
namespace {

fitted_order no_order(int points) {
  return {.order = not_a_number, .low = not_a_number, .high = not_a_number, .points = points};
}

fitted_order fit_line(const Eigen::ArrayXd& x, const Eigen::ArrayXd& y) {
  const auto points = static_cast<int>(x.size());
  if (points < 3) return no_order(points);
  const Eigen::ArrayXd from_mean = x - x.mean();
  const double spread = from_mean.square().sum();
  if (!(spread > 0)) return no_order(points);
  const double slope = (from_mean * y).sum() / spread;
  const double misfit = (y - y.mean() - slope * from_mean).square().sum();
  const int freedom = points - 2;
  const double quantile = boost::math::quantile(boost::math::students_t(freedom), .975);
  const double half_width = quantile * std::sqrt(misfit / freedom / spread);
  return {.order = slope, .low = slope - half_width, .high = slope + half_width, .points = points};
}

}  // namespace

fitted_order fit_order(const std::vector<double>& steps, const std::vector<double>& errors, double floor) {
  constexpr double safety = 10;
  if (steps.size() != errors.size() || !(floor >= 0) || std::isinf(floor)) return no_order(0);
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t n = 0; n < steps.size(); ++n) {
    if (!(steps[n] > 0) || !std::isfinite(steps[n]) || !std::isfinite(errors[n])) return no_order(0);
    if (errors[n] <= 0 || errors[n] < safety * floor) continue;
    x.push_back(std::log(steps[n]));
    y.push_back(std::log(errors[n]));
  }
  const auto count = static_cast<Eigen::Index>(x.size());
  return fit_line(Eigen::Map<const Eigen::ArrayXd>(x.data(), count),
                  Eigen::Map<const Eigen::ArrayXd>(y.data(), count));
}

}  // namespace reprise::checkers
