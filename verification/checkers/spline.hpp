// SPDX-License-Identifier: MIT
// The cubic spline through points of a trajectory that lie anywhere in time.
#pragma once

#include <vector>

namespace reprise::checkers {

// A value over time, in straight lines from point to point.
struct curve {
  std::vector<double> t;
  std::vector<double> v;

  // At least four points, as many times as values, times that rise, all of them numbers.
  bool is_sound() const;
};

// Twice continuously differentiable, "not a knot" at both ends: the third derivative does not jump at the
// second and the last but one point either. So a cubic is met exactly and nothing is assumed at the ends; a
// natural spline would assume no curvature there, where a cell is on its way back to rest. (Boost.Math's
// splines ask for equal distances or give up the second derivative.)
class cubic_spline {
 public:
  explicit cubic_spline(const curve& through);  // which is sound, and has to outlive the spline
  // Constant before the first and after the last point. Fast where t rises from call to call.
  double operator()(double t);

 private:
  const curve& points_;
  std::vector<double> curvature_;  // second derivatives
  std::size_t segment_{};
};

}  // namespace reprise::checkers
