// SPDX-License-Identifier: MIT
// Fits the lines of the model and predicts a step from them.
#include "benchmarks/scale/model.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace reprise::harness::scale {

std::optional<fitted_line> fitted_line::through(std::span<const point> points) {
  if (points.size() < 3) return {};
  double w = 0, wx = 0, wxx = 0, wy = 0, wxy = 0;
  for (const point& p : points) {
    const double weight = 1 / (p.y * p.y);
    w += weight;
    wx += weight * p.x;
    wxx += weight * p.x * p.x;
    wy += weight * p.y;
    wxy += weight * p.x * p.y;
  }
  const double determinant = w * wxx - wx * wx;
  if (!(determinant > 1e-9 * w * wxx)) return {};
  fitted_line line;
  line.slope_ = (w * wxy - wx * wy) / determinant;
  line.offset_ = (wxx * wy - wx * wxy) / determinant;
  double scatter = 0;
  for (const point& p : points) scatter += std::pow(line.at(p.x) / p.y - 1, 2);
  scatter /= static_cast<double>(points.size() - 2);
  line.of_slope_ = scatter * w / determinant;
  line.of_offset_ = scatter * wxx / determinant;
  line.of_both_ = -scatter * wx / determinant;
  return line;
}

double fitted_line::deviation(double x) const {
  return std::sqrt(std::max(0., of_slope_ * x * x + 2 * of_both_ * x + of_offset_));
}

std::optional<model> model::of(std::span<const measured_step> steps) {
  std::vector<fitted_line::point> compute;
  std::vector<fitted_line::point> exchange;
  for (const measured_step& s : steps) {
    const double own = s.cells / s.ranks;
    if (s.compute > 0) compute.push_back({own, s.compute});
    if (s.ranks > 1 && s.exchange > 0) exchange.push_back({std::sqrt(own), s.exchange});
  }
  const auto of_compute = fitted_line::through(compute);
  const auto of_exchange = fitted_line::through(exchange);
  if (!of_compute || !of_exchange) return {};
  model found(*of_compute, *of_exchange);
  double more = 0;
  int count = 0;
  for (const measured_step& s : steps) {
    if (s.ranks == 1) continue;
    const double own = s.cells / s.ranks;
    more += s.step - std::max(of_compute->at(own), of_exchange->at(std::sqrt(own)));
    ++count;
  }
  found.overhead_ = std::max(0., more / count);
  return found;
}

// A fitted line may become negative far from its points, so values are clamped to zero.
predicted_step model::predict(int ranks, double cells) const {
  const double own = cells / ranks;
  const double border = std::sqrt(own);
  const double compute = std::max(0., compute_.at(own));
  const double exchange = std::max(0., exchange_.at(border));
  const double of_compute = 2 * compute_.deviation(own);
  const double of_exchange = 2 * exchange_.deviation(border);
  return {std::max(compute, exchange) + overhead_,
          std::max({0., compute - of_compute, exchange - of_exchange}),
          compute + of_compute + exchange + of_exchange + overhead_};
}

}  // namespace reprise::harness::scale
