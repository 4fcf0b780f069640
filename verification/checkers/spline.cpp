// SPDX-License-Identifier: MIT
// Computes the cubic spline through a trajectory's points by elimination on its tridiagonal system.
#include "verification/checkers/spline.hpp"

#include <algorithm>
#include <cmath>

namespace reprise::checkers {

bool curve::is_sound() const {
  const auto finite = [](double x) { return std::isfinite(x); };
  return t.size() >= 4 && t.size() == v.size() && std::all_of(t.begin(), t.end(), finite) &&
         std::all_of(v.begin(), v.end(), finite) &&
         std::adjacent_find(t.begin(), t.end(), [](double a, double b) { return !(a < b); }) == t.end();
}

cubic_spline::cubic_spline(const curve& through) : points_(through), curvature_(through.t.size()) {
  const auto& t = points_.t;
  const auto& v = points_.v;
  auto& m = curvature_;
  const std::size_t last = t.size() - 1;
  const auto width = [&](std::size_t i) { return t[i + 1] - t[i]; };
  const auto slope = [&](std::size_t i) { return (v[i + 1] - v[i]) / width(i); };

  // Row i: width(i-1) m[i-1] + 2 (width(i-1) + width(i)) m[i] + width(i) m[i+1] = 6 (slope(i) - slope(i-1)).
  // m[0] and m[last] are eliminated by the condition that the third derivative is continuous.
  const double first_ratio = width(0) / width(1);
  const double last_ratio = width(last - 1) / width(last - 2);
  std::vector<double> above(last);  // the superdiagonal after elimination
  for (std::size_t i = 1; i < last; ++i) {
    double below = width(i - 1);
    double diagonal = 2 * (width(i - 1) + width(i));
    double beyond = width(i);
    if (i == 1) {
      diagonal += below * (1 + first_ratio);
      beyond -= below * first_ratio;
      below = 0;
    }
    if (i == last - 1) {
      diagonal += width(i) * (1 + last_ratio);
      below -= width(i) * last_ratio;
      beyond = 0;
    }
    const double pivot = diagonal - below * above[i - 1];
    above[i] = beyond / pivot;
    m[i] = (6 * (slope(i) - slope(i - 1)) - below * m[i - 1]) / pivot;
  }
  for (std::size_t i = last - 2; i > 0; --i) m[i] -= above[i] * m[i + 1];
  m[0] = m[1] + first_ratio * (m[1] - m[2]);
  m[last] = m[last - 1] + last_ratio * (m[last - 1] - m[last - 2]);
}

double cubic_spline::operator()(double at) {
  const auto& [t, v] = points_;
  if (at <= t.front()) return v.front();
  if (at >= t.back()) return v.back();
  if (at < t[segment_])
    segment_ = static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), at) - t.begin()) - 1;
  while (at >= t[segment_ + 1]) ++segment_;
  const std::size_t i = segment_;
  const double width = t[i + 1] - t[i];
  const double a = (t[i + 1] - at) / width;
  const double b = 1 - a;
  return a * v[i] + b * v[i + 1] +
         width * width / 6 * ((a * a * a - a) * curvature_[i] + (b * b * b - b) * curvature_[i + 1]);
}

}  // namespace reprise::checkers
